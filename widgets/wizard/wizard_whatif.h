// The page of sliders: what the largest run would take with other computation, balance, network.
// Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_WHATIF_H
#define PJ_WIZARD_WHATIF_H

struct pj_wizard;

/// Turns to the page with a change, as `popinjay whatif -c` takes it, on top of others (NULL =
/// none), and says what it brings beyond them.
void pj_wizard_whatif_open(struct pj_wizard *wizard, const char *change, const char *on_top);

#endif

// The page of sliders: what the largest run would take with other computation, balance, network.
// Ownership: everything belongs to the wizard.
#ifndef PJ_WIZARD_WHATIF_H
#define PJ_WIZARD_WHATIF_H

struct pj_wizard;

/// Turns to the page with this change, as `popinjay whatif -c` takes it, and no other.
void pj_wizard_whatif_open(struct pj_wizard *wizard, const char *change);

#endif

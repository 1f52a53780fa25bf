// What the module popinjay-record.so shows to the other modules of the recorder.
#ifndef PJ_REC_EXPORT_H
#define PJ_REC_EXPORT_H

#define PJ_REC_API __attribute__((visibility("default")))

#endif

/* SPDX-License-Identifier: MIT */
/* Every handle has a destructor, which the script's collector calls. No function returns a
 * borrowed handle, and none takes nil for one.
 *
 * A language that keeps its handles in something else than SWIG's pointer objects defines
 * EMQ_OWN_HANDLES and does both itself, in its %emq_handle_out. */

#ifndef EMQ_OWN_HANDLES
%define %emq_handle(TYPE)
%nodefaultctor TYPE;
struct TYPE {};
%extend TYPE {
  ~TYPE() { TYPE##_free($self); }
}
%typemap(check) TYPE *, const TYPE * {
  if (!$1) SWIG_exception(SWIG_TypeError, "no " #TYPE " given");
}
%enddef

%include <exception.i>
%emq_handle(emq_client)
%emq_handle(emq_minter)
%emq_handle(emq_batch)
%emq_handle(emq_job)
%emq_handle(emq_row)
%emq_handle(emq_list)
%emq_handle(emq_jobs)
%emq_handle(emq_leases)
#endif

%ignore emq_client_free;
%ignore emq_minter_free;
%ignore emq_batch_free;
%ignore emq_job_free;
%ignore emq_row_free;
%ignore emq_list_free;
%ignore emq_jobs_free;
%ignore emq_leases_free;

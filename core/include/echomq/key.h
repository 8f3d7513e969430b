/* SPDX-License-Identifier: MIT */
#ifndef ECHOMQ_KEY_H
#define ECHOMQ_KEY_H

/* Keys (the wire, section 2). Every function that composes a key writes it to the caller's room
 * and terminates it with a NUL that does not count; EMQ_KEY_MAX bytes are always enough for the
 * keys of a queue. Keys are bytes: a queue's name may be any UTF-8. */

#include <echomq/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EMQ_QUEUE_NAME_MAX = 512, EMQ_KEY_MAX = 1040, EMQ_SLOTS = 16384 };

/* Says whether a queue may have that name: 1 to 512 bytes, no brace, no byte below 0x20, no 0x7f.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT; the message names the byte and its place. */
EMQ_API emq_status emq_queue_check(const char *queue, size_t queue_len, emq_error *err);

/* Composes `emq:{queue}:type`. The type is taken as it stands.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (the name, or no room). `*len` excludes the NUL. */
EMQ_API emq_status emq_queue_key(char *room, size_t room_size, size_t *len, const char *queue,
                                 size_t queue_len, const char *type, size_t type_len,
                                 emq_error *err);

/* Composes `emq:{queue}:job:<id>`, from a valid branded id only.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (the name, the id, or no room). */
EMQ_API emq_status emq_job_key(char *room, size_t room_size, size_t *len, const char *queue,
                               size_t queue_len, const char *id, size_t id_len, emq_error *err);

/* Composes a key of the deployment's reserve, `{emq}:name`.
 * Returns EMQ_OK or EMQ_ERR_INVALID_ARGUMENT (no room). */
EMQ_API emq_status emq_reserve_key(char *room, size_t room_size, size_t *len, const char *name,
                                   size_t name_len, emq_error *err);

/* The fence's key, `{emq}:version`. Static. */
EMQ_API emq_bytes emq_version_key(void);

/* The part of a key that chooses its slot: a view into `key`. */
EMQ_API emq_bytes emq_hashtag(const char *key, size_t key_len);

/* The key's cluster slot, 0 to 16383. */
EMQ_API uint32_t emq_slot(const char *key, size_t key_len);

#ifdef __cplusplus
}
#endif

#endif

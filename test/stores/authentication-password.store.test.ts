import * as store from '../../src/authentication/methods/password/store.ts'
import { at, made } from '../support/rows.ts'
import { compareStore } from '../support/stores.ts'

compareStore('authentication/methods/password/store', store, async ({ store: { findSigningIn }, db, seed, insert }) => {
  await seed('user')
  const names = { username: 'ünal_%', display_username: 'Ünal_%', name: 'Ünal', fields: '{"team":"Blue"}', language: 3 }
  await insert('user', { id: 'u2', email: 'ü@example.com', ...names, banned_at: at, email_version: 2_147_483_647 })
  const account = { id: 'a', account_id: 'u', provider_id: 'credential', user_id: 'u', password: '$argon2id$1', ...made }
  await insert('account', account)
  // A removed password, and an identity of another provider.
  await insert('account', { ...account, id: 'a2', account_id: 'u2', user_id: 'u2', password: null })
  await insert('account', { ...account, id: 'a3', account_id: 'u2', user_id: 'u2', provider_id: 'github' })
  await insert('known_device', { user_id: 'u', key_hash: 'known', last_used_at: at })
  await findSigningIn(db, 'email', 'u@example.com', 'known')
  await findSigningIn(db, 'email', 'u@example.com', 'unknown')
  await findSigningIn(db, 'email', 'U@example.com', 'known')
  await findSigningIn(db, 'email', 'ü@example.com', 'known')
  await findSigningIn(db, 'username', 'ünal_%', 'known')
  await findSigningIn(db, 'username', 'ünalx%', 'known')
  await findSigningIn(db, 'email', 'nobody', 'known')
})

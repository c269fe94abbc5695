import type { TestApp } from './app.ts'
import type { Client } from './client.ts'

/** A browser with a new user who is signed in and has these roles on the instance. */
export const signedInAs = async (
  t: TestApp,
  role: string,
  email = `${role.replaceAll(',', '-')}@staff.example`,
): Promise<Client> => {
  const client = await t.signedIn(email, role)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return client
}

import type { TestApp } from './app.ts'
import type { Client } from './client.ts'

/** A browser in which somebody new has signed in who has these roles on the instance. */
export const signedInAs = async (
  t: TestApp,
  role: string,
  email = `${role.replaceAll(',', '-')}@staff.example`,
): Promise<Client> => {
  const client = await t.signedIn(email, role)
  await t.app.core.transact((tx) => tx.knex('user').where({ email }).update({ role }))
  return client
}

/** Invitations as people see them, for tests. */
import type { TestApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'

interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly expiresAt: string
}

/** Invites to the active organization of the client. */
export const invite = async (client: Client, email: string, more: Record<string, unknown> = {}): Promise<Invitation> => {
  const { status, json, text } = await client.post('/organization/invite-member', { email, role: 'member', ...more })
  if (status !== 200) throw new Error(text)
  return json as unknown as Invitation
}

/** The parts of the link in the newest invitation mail to an address. */
export const mailed = async (t: TestApp, address: string): Promise<{ id: string; token: string; link: string }> => {
  const { link } = await t.mailTo(address, 'invitation')
  const { pathname, searchParams } = new URL(link)
  return { id: pathname.split('/').at(-1) ?? '', token: searchParams.get('token') ?? '', link }
}

export const statusOf = async (t: TestApp, id: string): Promise<string> =>
  (await t.app.core.db.knex('invitation').where({ id }).first('status'))?.status

/** Returns the answers, one after the other or simultaneously. */
export const answer = (client: Client, what: 'accept' | 'reject' | 'cancel', invitationId: string, token?: string) =>
  client.post(`/organization/${what}-invitation`, { invitationId, ...(token === undefined ? {} : { token }) })

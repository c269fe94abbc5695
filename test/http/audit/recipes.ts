/** Recipes for the administration calls that record events, each with a permitted caller and an existing subject. */
import { vi } from 'vitest'
import { password, type TestApp } from '../../support/app.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { eventOf, post, signedDelivery, webhookSecret } from '../../support/billing.ts'
import type { Answer, Client, Json } from '../../support/client.ts'
import { imageOf } from '../../support/images.ts'
import { passkeySteps } from '../../support/passkeys.ts'
import type { Smtp } from '../../support/smtp.ts'
import { withAuthenticator, withPassword } from '../../support/totp.ts'
import { tell } from '../billing/purchases.ts'
import { codeFor, goOn, queryOf, register } from '../oidc/flow.ts'
import { ownerOf } from '../oidc/tenants.ts'

export interface Call {
  readonly path: string
  readonly body?: object
  /** The body of the call. */
  readonly file?: Buffer
  /** The subject of the event, if it is known before the call. */
  readonly subject?: string
  /** The caller's browser, unless it is the administrator. */
  readonly by?: Client
  /** The actor in the event, unless it is the administrator. */
  readonly actor?: string
}

/** The configuration that the recipes need beyond the default. */
export const configOf = (smtp: Smtp, backupDirectory: string) => ({
  backup: { directory: backupDirectory, everyHours: 0, withoutKeys: true },
  smtpUrl: smtp.url,
  mailFrom: 'no-reply@acme.example',
  mail: { maxAttempts: 1 },
  billing: { secrets: [webhookSecret] },
  oidc: { rsaModulusLength: 2048 },
  secondFactor: { recoveryWaitDays: 4 },
  social: { acme: { clientId: 'client-1', clientSecret: 'secret', issuer: 'http://127.0.0.1:9' } },
})

const must = async (answer: Promise<Answer>): Promise<Json> => {
  const { status, json, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  return json
}

/** Recipes by method and path of the endpoint. */
export const createRecipes = (t: TestApp, admin: Client, smtp: Smtp): Readonly<Record<string, () => Promise<Call>>> => {
  let count = 0
  const next = (name: string) => {
    count += 1
    return `${name}${count}`
  }
  const person = async () => {
    const email = `${next('person')}@called.example`
    const client = await t.signedIn(email)
    await t.verify(email)
    const found = await client.api.sessions.getSession()
    return { client, id: found?.user.id ?? '', sessionId: found?.session.id ?? '' }
  }
  const organization = async () => {
    const { id } = await person()
    const slug = next('org')
    return String((await must(admin.post('/admin/organizations', { name: slug, slug, ownerId: id })))['id'])
  }
  const member = async () => {
    const [organizationId, { id: userId }] = [await organization(), await person()]
    const made = await must(admin.post(`/admin/organizations/${organizationId}/members`, { userId, role: 'member' }))
    return { organizationId, userId, id: String(made['id']) }
  }
  const team = async () => {
    const { organizationId, userId } = await member()
    const made = await must(admin.post(`/admin/organizations/${organizationId}/teams`, { name: next('team') }))
    return { path: `/admin/organizations/${organizationId}/teams/${made['id']}`, userId, id: String(made['id']) }
  }
  const application = async () => {
    const made = await must(
      admin.post('/admin/clients', { name: next('app'), type: 'web', redirectUris: ['https://rp.example/callback'] }),
    )
    return String(made['clientId'] ?? (made['client'] as Json | undefined)?.['clientId'])
  }

  const dead = async (kind: string) => {
    const id = next('task')
    const at = t.app.core.clock.now()
    const task = {
      kind,
      status: 'dead',
      attempts: 1,
      payload: '{}',
      details: '{}',
      due_at: at,
      created_at: at,
      last_error: 'broken',
    }
    await t.app.core.db.knex('task').insert({ ...task, id, expires_at: t.app.core.clock.after(3_600) })
    return id
  }
  const failedMail = async () => {
    const content = {
      ...{ subject: 'A subject', heading: 'Hello', paragraphs: ['A paragraph.'], footnote: 'A footnote.' },
      action: { label: 'Go on', url: 'https://auth.example.com/go' },
    }
    const address = `${next('mail')}@called.example`
    smtp.refuse(1, 550)
    await t.app.core.transact((tx) => t.app.mail.enqueue(tx, { to: { name: 'Ann', address }, kind: 'greeting', content }))
    return vi.waitFor(
      async () => {
        const [mail] = (await admin.api.mails.listMails({ query: { address, state: 'failed' } })).mails
        if (mail === undefined) throw new Error('not yet refused')
        return mail.id
      },
      { timeout: 60_000, interval: 50 },
    )
  }
  const enrolled = async () => {
    const email = `${next('enrolled')}@called.example`
    const { browser } = await withAuthenticator(t, email)
    return { email, browser, id: (await t.app.users.require(t.app.core.db, email)).id }
  }
  const api = async () => String((await must(admin.post('/admin/apis', { identifier: next('urn:api:'), name: 'Orders' })))['id'])
  const setting = () => ({ set: { 'brand.name': next('Brand') } })
  const apiKey = async () => {
    const made = await must(admin.post('/admin/api-keys', { name: next('key'), permissions: ['users:read'] }))
    return String(made['id'])
  }
  const invitation = async () => {
    const organizationId = await organization()
    const body = { email: `${next('invited')}@called.example`, role: 'member' }
    const made = await must(admin.post(`/admin/organizations/${organizationId}/invitations`, body))
    return { organizationId, id: String(made['id'] ?? (made['invitation'] as Json | undefined)?.['id']) }
  }
  const webhookEndpoint = async () =>
    String((await must(admin.post('/admin/billing/webhook-endpoints', { name: next('endpoint') })))['name'])
  const customer = async () => {
    const customerId = next('cus_')
    await tell(t, 'customer.created', { customerId, email: `${customerId}@called.example` })
    return customerId
  }
  const agreed = async () => {
    const { client, id } = await person()
    const app = await register(t)
    await codeFor(client, app)
    const [grant] = (await admin.api.grants.listGrants({ query: { clientId: app.clientId, userId: id } })).grants
    return { userId: id, clientId: app.clientId, grantId: grant?.id ?? '' }
  }

  return {
    'POST /admin/create-user': async () => ({
      path: '/admin/create-user',
      body: { email: `${next('new')}@called.example`, name: 'New', password },
    }),
    'POST /admin/ban-user': async () => {
      const { id } = await person()
      return { path: '/admin/ban-user', body: { userId: id }, subject: id }
    },
    'POST /admin/unban-user': async () => {
      const { id } = await person()
      await must(admin.post('/admin/ban-user', { userId: id }))
      return { path: '/admin/unban-user', body: { userId: id }, subject: id }
    },
    'POST /admin/set-role': async () => {
      const { id } = await person()
      return { path: '/admin/set-role', body: { userId: id, role: 'support' }, subject: id }
    },
    'POST /admin/set-user-password': async () => {
      const { id } = await person()
      return { path: '/admin/set-user-password', body: { userId: id, newPassword: 'another battery staple' }, subject: id }
    },
    'POST /admin/users/:id/recovery-link': async () => {
      const { id } = await person()
      return { path: `/admin/users/${id}/recovery-link`, body: {}, subject: id }
    },
    'POST /admin/update-user': async () => {
      const { id } = await person()
      return { path: '/admin/update-user', body: { userId: id, data: { name: 'Renamed' } }, subject: id }
    },
    'PATCH /admin/users/:id': async () => {
      const { id } = await person()
      return { path: `/admin/users/${id}`, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/users/:id': async () => {
      const { id } = await person()
      return { path: `/admin/users/${id}`, subject: id }
    },
    'POST /admin/remove-user': async () => {
      const { id } = await person()
      return { path: '/admin/remove-user', body: { userId: id }, subject: id }
    },
    'POST /admin/revoke-user-session': async () => {
      const { id, sessionId } = await person()
      return { path: '/admin/revoke-user-session', body: { sessionToken: sessionId }, subject: id }
    },
    'POST /admin/revoke-user-sessions': async () => {
      const { id } = await person()
      return { path: '/admin/revoke-user-sessions', body: { userId: id }, subject: id }
    },
    'DELETE /admin/sessions/:id': async () => {
      const { id, sessionId } = await person()
      return { path: `/admin/sessions/${sessionId}`, subject: id }
    },
    'POST /admin/organizations': async () => {
      const slug = next('org')
      return { path: '/admin/organizations', body: { name: slug, slug, ownerId: (await person()).id } }
    },
    'PATCH /admin/organizations/:id': async () => {
      const id = await organization()
      return { path: `/admin/organizations/${id}`, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/organizations/:id': async () => {
      const id = await organization()
      return { path: `/admin/organizations/${id}`, subject: id }
    },
    'POST /admin/organizations/:id/teams': async () => ({
      path: `/admin/organizations/${await organization()}/teams`,
      body: { name: next('team') },
    }),
    'PATCH /admin/organizations/:id/teams/:teamId': async () => {
      const { path, id } = await team()
      return { path, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/organizations/:id/teams/:teamId': async () => {
      const { path, id } = await team()
      return { path, subject: id }
    },
    'PUT /admin/organizations/:id/teams/:teamId/members/:userId': async () => {
      const { path, userId, id } = await team()
      return { path: `${path}/members/${userId}`, subject: id }
    },
    'DELETE /admin/organizations/:id/teams/:teamId/members/:userId': async () => {
      const { path, userId, id } = await team()
      await must(admin.request(`${path}/members/${userId}`, { method: 'PUT', headers: { origin: t.url } }))
      return { path: `${path}/members/${userId}`, subject: id }
    },
    'PUT /admin/organizations/:id/logo': async () => {
      const id = await organization()
      return { path: `/admin/organizations/${id}/logo`, file: await imageOf(), subject: id }
    },
    'DELETE /admin/organizations/:id/logo': async () => {
      const id = await organization()
      const body = new Uint8Array(await imageOf())
      await must(admin.request(`/admin/organizations/${id}/logo`, { method: 'PUT', headers: { origin: t.url }, body }))
      return { path: `/admin/organizations/${id}/logo`, subject: id }
    },
    'POST /admin/organizations/:id/members': async () => ({
      path: `/admin/organizations/${await organization()}/members`,
      body: { userId: (await person()).id, role: 'member' },
    }),
    'PATCH /admin/organizations/:id/members/:memberId': async () => {
      const { organizationId, id } = await member()
      return { path: `/admin/organizations/${organizationId}/members/${id}`, body: { role: 'admin' } }
    },
    'DELETE /admin/organizations/:id/members/:memberId': async () => {
      const { organizationId, id } = await member()
      return { path: `/admin/organizations/${organizationId}/members/${id}` }
    },
    'POST /admin/clients': async () => ({
      path: '/admin/clients',
      body: { name: next('app'), type: 'web', redirectUris: ['https://rp.example/callback'] },
    }),
    'POST /admin/initial-access-tokens': async () => ({ path: '/admin/initial-access-tokens', body: { name: next('token') } }),
    'DELETE /admin/initial-access-tokens/:tokenId': async () => {
      const { token } = await must(admin.post('/admin/initial-access-tokens', { name: next('token') }))
      const { id } = token as { id: string }
      return { path: `/admin/initial-access-tokens/${id}`, subject: id }
    },
    'PATCH /admin/clients/:clientId': async () => {
      const id = await application()
      return { path: `/admin/clients/${id}`, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/clients/:clientId': async () => {
      const id = await application()
      return { path: `/admin/clients/${id}`, subject: id }
    },
    'PUT /admin/clients/:clientId/logo': async () => {
      const id = await application()
      return { path: `/admin/clients/${id}/logo`, file: await imageOf(), subject: id }
    },
    'DELETE /admin/clients/:clientId/logo': async () => {
      const id = await application()
      const body = new Uint8Array(await imageOf())
      await must(admin.request(`/admin/clients/${id}/logo`, { method: 'PUT', headers: { origin: t.url }, body }))
      return { path: `/admin/clients/${id}/logo`, subject: id }
    },
    'POST /admin/clients/:clientId/secrets': async () => {
      const id = await application()
      return { path: `/admin/clients/${id}/secrets`, body: {}, subject: id }
    },
    'POST /admin/apis': async () => ({ path: '/admin/apis', body: { identifier: next('urn:api:'), name: 'Orders' } }),
    'PATCH /admin/apis/:apiId': async () => {
      const id = await api()
      return { path: `/admin/apis/${id}`, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/apis/:apiId': async () => {
      const id = await api()
      return { path: `/admin/apis/${id}`, subject: id }
    },
    'POST /admin/apis/:apiId/secrets': async () => {
      const id = await api()
      return { path: `/admin/apis/${id}/secrets`, body: {}, subject: id }
    },
    'DELETE /admin/apis/:apiId/secrets/:secretId': async () => {
      const id = await api()
      const { secretId } = await must(admin.post(`/admin/apis/${id}/secrets`, {}))
      return { path: `/admin/apis/${id}/secrets/${secretId}`, subject: id }
    },
    'PATCH /admin/settings': async () => ({ path: '/admin/settings', body: setting(), subject: 'instance' }),
    'POST /admin/settings/revert': async () => {
      const change = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify(setting()) }
      const { version } = await must(admin.request('/admin/settings', change))
      return { path: '/admin/settings/revert', body: { version: Number(version) - 1 }, subject: 'instance' }
    },
    'POST /admin/signing-keys/rotate': async () => ({ path: '/admin/signing-keys/rotate', body: {} }),
    'POST /admin/signing-keys/revoke': async () => ({ path: '/admin/signing-keys/revoke', body: {} }),
    'POST /admin/api-keys': async () => ({ path: '/admin/api-keys', body: { name: next('key'), permissions: ['users:read'] } }),
    'POST /admin/events/exports': async () => ({ path: '/admin/events/exports', body: {} }),
    'POST /admin/backups': async () => ({ path: '/admin/backups', body: {} }),
    'PATCH /admin/api-keys/:id': async () => {
      const id = await apiKey()
      return { path: `/admin/api-keys/${id}`, body: { name: 'Renamed' }, subject: id }
    },
    'DELETE /admin/api-keys/:id': async () => {
      const id = await apiKey()
      return { path: `/admin/api-keys/${id}`, subject: id }
    },
    'POST /admin/api-keys/:id/rotate': async () => {
      const id = await apiKey()
      return { path: `/admin/api-keys/${id}/rotate`, body: {}, subject: id }
    },
    'POST /admin/billing/deliveries/:id/dismiss': async () => {
      const customerId = next('cus_')
      const broken = eventOf('order.paid', { customerId })
      await post(t.url, signedDelivery(webhookSecret, { ...broken, data: { ...broken.data, status: 5 } }))
      const { deliveries } = await admin.api.billingAdmin.deliveries({ query: { verdict: 'quarantined', limit: 1 } })
      const id = deliveries[0]?.id ?? ''
      return { path: `/admin/billing/deliveries/${id}/dismiss`, subject: id }
    },
    'POST /admin/billing/deliveries/replay': async () => {
      const { deliveries } = await admin.api.billingAdmin.deliveries({ query: { customerId: await customer() } })
      const id = deliveries[0]?.id ?? ''
      return { path: '/admin/billing/deliveries/replay', body: { ids: [id] }, subject: id }
    },
    'POST /admin/billing/deliveries/:id/replay': async () => {
      const { deliveries } = await admin.api.billingAdmin.deliveries({ query: { customerId: await customer() } })
      const id = deliveries[0]?.id ?? ''
      return { path: `/admin/billing/deliveries/${id}/replay`, subject: id }
    },
    'POST /admin/billing/webhook-endpoints': async () => {
      const name = next('endpoint')
      return { path: '/admin/billing/webhook-endpoints', body: { name }, subject: name }
    },
    'POST /admin/billing/webhook-endpoints/:name/secrets': async () => {
      const name = await webhookEndpoint()
      return { path: `/admin/billing/webhook-endpoints/${name}/secrets`, body: {}, subject: name }
    },
    'DELETE /admin/billing/webhook-endpoints/:name/secrets': async () => {
      const name = await webhookEndpoint()
      return { path: `/admin/billing/webhook-endpoints/${name}/secrets`, subject: name }
    },
    'DELETE /admin/billing/webhook-endpoints/:name': async () => {
      const name = await webhookEndpoint()
      return { path: `/admin/billing/webhook-endpoints/${name}`, subject: name }
    },
    'POST /admin/declarations/apply': async () => {
      const id = next('declared')
      const clients = { [id]: { name: 'Declared', type: 'spa', redirectUris: ['https://rp.example/callback'] } }
      const declaration = JSON.stringify({ source: id, clients })
      return { path: '/admin/declarations/apply', body: { declaration }, subject: id }
    },
    'DELETE /admin/billing/customers/:id': async () => {
      const id = await customer()
      return { path: `/admin/billing/customers/${id}`, subject: id }
    },
    'PUT /admin/billing/customers/:id/link': async () => {
      const id = await customer()
      return { path: `/admin/billing/customers/${id}/link`, body: { userId: (await person()).id }, subject: id }
    },
    'DELETE /admin/billing/customers/:id/link': async () => {
      const id = await customer()
      await admin.api.billingAdmin.linkCustomer({ params: { id }, body: { userId: (await person()).id } })
      return { path: `/admin/billing/customers/${id}/link`, subject: id }
    },
    'DELETE /admin/clients/:clientId/secrets/:secretId': async () => {
      const id = await application()
      await must(admin.post(`/admin/clients/${id}/secrets`, {}))
      const { secrets } = await admin.api.applications.listSecrets({ params: { clientId: id } })
      return { path: `/admin/clients/${id}/secrets/${secrets.at(-1)?.id}`, subject: id }
    },
    'DELETE /admin/grants/:grantId': async () => {
      const { grantId } = await agreed()
      return { path: `/admin/grants/${grantId}` }
    },
    'DELETE /admin/users/:userId/consents/:clientId': async () => {
      const { userId, clientId } = await agreed()
      return { path: `/admin/users/${userId}/consents/${clientId}` }
    },
    'DELETE /admin/users/:userId/consents/:clientId/organizations/:organizationId': async () => {
      const { browser, userId, organizations } = await ownerOf(t, 'Agreed')
      const { clientId, ...app } = await register(t)
      const organization = organizations[0]?.id
      await codeFor(browser, { clientId, ...app }, { scope: 'openid organizations', organization })
      return { path: `/admin/users/${userId}/consents/${clientId}/organizations/${organization}` }
    },
    'POST /admin/impersonate-user': async () => {
      const { id } = await person()
      const by = await withPassword(t, 'admin@staff.example')
      return { path: '/admin/impersonate-user', body: { userId: id }, subject: id, by }
    },
    'POST /admin/stop-impersonating': async () => {
      const { id } = await person()
      const by = await withPassword(t, 'admin@staff.example')
      await must(by.post('/admin/impersonate-user', { userId: id, reason: 'asked by phone' }))
      return { path: '/admin/stop-impersonating', subject: id, by, actor: id }
    },
    'POST /admin/clients/:clientId/test-sign-ins': async () => {
      const { clientId } = await register(t)
      return { path: `/admin/clients/${clientId}/test-sign-ins`, subject: clientId }
    },
    'POST /admin/test-sign-ins/:id': async () => {
      const { clientId } = await register(t)
      const { id, url } = await admin.api.applications.startTestSignIn({ params: { clientId } })
      const { location } = await goOn(admin, await admin.request(url.slice(t.url.length)))
      return { path: `/admin/test-sign-ins/${id}`, body: { code: queryOf(location)['code'] }, subject: clientId }
    },
    'POST /admin/mails/test': async () => ({ path: '/admin/mails/test', body: { address: 'tester@called.example' } }),
    'PATCH /admin/setup-steps/:name': async () => ({ path: '/admin/setup-steps/backup', body: { isDismissed: true } }),
    // No server listens there, so the test of the address fails as expected.
    'POST /admin/providers/:id/test': async () => ({ path: '/admin/providers/acme/test', subject: 'acme' }),
    'POST /admin/mails/:id/retry': async () => {
      const id = await failedMail()
      return { path: `/admin/mails/${id}/retry`, subject: id }
    },
    'POST /admin/tasks/:id/requeue': async () => {
      const id = await dead('test.kind')
      return { path: `/admin/tasks/${id}/requeue`, subject: id }
    },
    'DELETE /admin/tasks/:id': async () => {
      const id = await dead('test.kind')
      return { path: `/admin/tasks/${id}`, subject: id }
    },
    'POST /admin/organizations/:id/invitations': async () => ({
      path: `/admin/organizations/${await organization()}/invitations`,
      body: { email: `${next('invited')}@called.example`, role: 'member' },
    }),
    'DELETE /admin/organizations/:id/invitations/:invitationId': async () => {
      const { organizationId, id } = await invitation()
      return { path: `/admin/organizations/${organizationId}/invitations/${id}` }
    },
    'DELETE /admin/users/:id/recovery': async () => {
      const { email, id } = await enrolled()
      await t.verify(email)
      await must((await withPassword(t, email)).post('/two-factor/recovery/request'))
      return { path: `/admin/users/${id}/recovery`, subject: id }
    },
    'PATCH /admin/users/:id/factors': async () => {
      const { id } = await person()
      return { path: `/admin/users/${id}/factors`, body: { required: true }, subject: id }
    },
    'DELETE /admin/users/:id/factors': async () => {
      const { id } = await enrolled()
      return { path: `/admin/users/${id}/factors`, subject: id }
    },
    'DELETE /admin/users/:id/factors/:factorId': async () => {
      const { id, browser } = await enrolled()
      await passkeySteps(() => t).register(browser, createAuthenticator({}), 'MacBook')
      const { factors } = await admin.api.factorAdministration.adminListFactors({ params: { id } })
      const passkey = factors.find(({ kind }) => kind === 'passkey')
      return { path: `/admin/users/${id}/factors/${passkey?.id}`, subject: id }
    },
  }
}

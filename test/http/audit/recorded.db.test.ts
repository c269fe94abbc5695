import { afterAll, beforeAll, expect, test } from 'vitest'
import { listedCommands } from '../../../src/cli/help.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { endpoints, type Row } from './rows.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

const shown = 'shows, and changes nothing'

const commands: Readonly<Record<string, Row>> = {
  'add-member': ['member.added'],
  'add-webhook-endpoint': ['endpoint.created'],
  apply: [
    'client.created',
    'client.updated',
    'client.deleted',
    'organization.created',
    'organization.updated',
    'endpoint.created',
  ],
  backup: ['backup.made', 'backup.failed'],
  'ban-user': ['user.banned'],
  'cancel-recovery': ['recovery.cancelled'],
  'check-config': shown,
  completion: shown,
  config: ['settings.changed'],
  'create-api': ['api.created'],
  'create-api-key': ['api_key.created'],
  'create-org': ['organization.created'],
  'create-recovery-link': ['user.recovery_link_created'],
  'create-setup-link': ['instance.setup_link_created'],
  'create-user': ['user.created'],
  'delete-api': ['api.deleted'],
  'delete-client': ['client.deleted'],
  'delete-org': ['organization.deleted'],
  'delete-user': ['user.deleted'],
  'disable-client': ['client.disabled'],
  'dismiss-delivery': ['delivery.dismissed'],
  'dismiss-setup-step': ['instance.setup_step_updated'],
  doctor: shown,
  'drop-task': ['task.dropped'],
  'enable-client': ['client.enabled'],
  'end-consent': ['consent.ended'],
  'end-sessions': ['session.ended', 'user.sessions_ended'],
  explain: shown,
  'explain-sign-in': shown,
  'export-audit': ['events.exported'],
  'export-declaration': shown,
  'forget-customer': ['customer.forgotten'],
  'get-api': shown,
  'get-client': shown,
  'get-org': shown,
  'get-user': shown,
  'import-breached': 'writes a file: no row changes',
  init: 'writes a file: there may be no database yet',
  'invite-member': ['invitation.created'],
  'link-customer': ['customer.linked'],
  login: 'keeps a sign-in on this machine, which the instance records as that of a device',
  logout: 'ends the tokens of this machine, which the revocation endpoint records, and forgets them',
  migrate: 'changes the schema, which has a table of its own for what was done and when',
  prune: ['instance.pruned'],
  'rebuild-billing': ['billing.rebuilt'],
  reencrypt: ['instance.reencrypted'],
  'register-client': ['client.created'],
  'create-initial-access-token': ['client.initial_access_token_created'],
  'revoke-initial-access-token': ['client.initial_access_token_revoked'],
  'remove-webhook-endpoint': ['endpoint.deleted'],
  'replay-delivery': ['delivery.replayed'],
  'requeue-task': ['task.requeued'],
  restore: ['instance.restored'],
  'remove-factor': ['second_factor.removed', 'totp.disabled', 'user.passkey_removed'],
  'require-factor': ['second_factor.required', 'second_factor.requirement_lifted'],
  'retry-mail': ['mail.retried'],
  'revoke-api-key': ['api_key.revoked'],
  'rotate-api-key': ['api_key.rotated'],
  'rotate-api-secret': ['api.secret_rotated', 'api.secret_revoked'],
  'rotate-client-secret': ['client.secret_rotated', 'client.secret_revoked'],
  'rotate-jwks': ['keys.rotated'],
  'rotate-webhook-secret': ['endpoint.keys_changed'],
  serve: 'starts the daemon',
  'set-password': ['user.password_reset'],
  'set-role': ['user.role_changed'],
  'simulate-event': 'sends a delivery, which is stored whole',
  'unban-user': ['user.unbanned'],
  'update-api': ['api.updated'],
  'update-client': ['client.updated', 'client.reviewed'],
  'update-org': ['organization.updated'],
  'update-user': ['user.updated', 'user.email_changed', 'user.email_verified'],
  'verify-audit': shown,
}

const typesOf = (table: Readonly<Record<string, Row>>): readonly string[] =>
  Object.values(table).flatMap((row) => (typeof row === 'string' ? [] : [...row]))

test('every endpoint other than GET has a row with the events that it records, or with the reason why it records no event', () => {
  const changing = t.app.routes.flatMap(({ endpoint: { method, path } }) => (method === 'GET' ? [] : [`${method} ${path}`]))
  expect(Object.keys(endpoints).toSorted()).toEqual([...new Set(changing)].toSorted())
})

test('every command that changes something has a row with the events that it records, or with the reason why it records no event', () => {
  const names = listedCommands(createProgram()).map((command) => command.name())
  expect(Object.keys(commands).toSorted()).toEqual(
    names.filter((name) => !name.startsWith('list-') && name !== 'help').toSorted(),
  )
})

test('both tables name only existing events, and every other event type names the automatic process that records it', () => {
  const named = new Set([...typesOf(endpoints), ...typesOf(commands)])
  const known = [...t.app.events.types.keys()]
  expect([...named].filter((type) => !known.includes(type))).toEqual([])
  expect(known.filter((type) => !named.has(type)).toSorted()).toEqual([
    // Recorded by a GET, which the table does not contain.
    'backup.downloaded',
    // Recorded when every attempt of a task has failed.
    'client.logout_failed',
    // Recorded by the last step of a sign-in with a device code, as for any application.
    'device.approved',
    'events.export_ended',
    'events.segment_started',
    // Recorded when a code or refresh token is used twice, and by the revocation endpoint of OAuth.
    'grant.revoked',
    'mail.given_up',
    'second_factor.browser_remembered',
    // Recorded by a grant of the token endpoint.
    'token.exchanged',
    'user.claimed',
    // Recorded at the time of the backup.
    'user.data_downloaded',
  ])
})

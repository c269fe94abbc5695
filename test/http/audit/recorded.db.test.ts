import { afterAll, beforeAll, expect, test } from 'vitest'
import { listedCommands } from '../../../src/cli/help.ts'
import { createProgram } from '../../../src/cli/program.ts'
import { type TestApp, testApp } from '../../support/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})
afterAll(() => t.stop())

/** The types of events that a change may record, one of them at least; or why it records none. */
type Row = readonly [type: string, ...more: string[]] | string

const reads = 'reads: the body is its question'
const session = 'what the session of the caller shows next, which nobody else sees'
const mailed = 'sends a mail: what its link does is recorded, and an address is not'

const endpoints: Readonly<Record<string, Row>> = {
  'POST /verify-password': ['session.started'],
  'POST /account-info': reads,
  'POST /admin/api-keys': ['api_key.created'],
  'PATCH /admin/api-keys/:id': ['api_key.updated'],
  'DELETE /admin/api-keys/:id': ['api_key.revoked'],
  'POST /admin/api-keys/:id/rotate': ['api_key.rotated'],
  'POST /admin/backups': ['backup.made', 'backup.failed'],
  'POST /admin/ban-user': ['user.banned'],
  'POST /admin/billing/deliveries/:id/dismiss': ['delivery.dismissed'],
  'POST /admin/billing/deliveries/:id/replay': ['delivery.replayed'],
  'PUT /admin/billing/customers/:id/link': ['customer.linked'],
  'DELETE /admin/billing/customers/:id/link': ['customer.unlinked'],
  'POST /admin/clients': ['client.created'],
  'PATCH /admin/clients/:clientId': ['client.updated', 'client.disabled', 'client.enabled'],
  'DELETE /admin/clients/:clientId': ['client.deleted'],
  'POST /admin/clients/:clientId/secrets': ['client.secret_rotated'],
  'DELETE /admin/clients/:clientId/secrets/:secretId': ['client.secret_revoked'],
  'POST /admin/create-user': ['user.created'],
  'DELETE /admin/grants/:grantId': ['grant.revoked'],
  'POST /admin/has-permission': reads,
  'POST /admin/impersonate-user': ['user.impersonation_started'],
  'POST /admin/list-user-sessions': reads,
  'POST /admin/mails/:id/retry': ['mail.retried'],
  'POST /admin/organizations': ['organization.created'],
  'PATCH /admin/organizations/:id': ['organization.updated'],
  'DELETE /admin/organizations/:id': ['organization.deleted'],
  'POST /admin/organizations/:id/invitations': ['invitation.created'],
  'DELETE /admin/organizations/:id/invitations/:invitationId': ['invitation.canceled'],
  'POST /admin/organizations/:id/members': ['member.added'],
  'PATCH /admin/organizations/:id/members/:memberId': ['member.role_changed'],
  'DELETE /admin/organizations/:id/members/:memberId': ['member.removed'],
  'POST /admin/signing-keys/rotate': ['keys.rotated'],
  'POST /admin/tasks/:id/requeue': ['task.requeued'],
  'DELETE /admin/tasks/:id': ['task.dropped'],
  'DELETE /admin/users/:id': ['user.deleted'],
  'POST /admin/remove-user': ['user.deleted'],
  'POST /admin/revoke-user-session': ['session.ended'],
  'POST /admin/revoke-user-sessions': ['user.sessions_ended'],
  'DELETE /admin/sessions/:id': ['session.ended'],
  'POST /admin/set-role': ['user.role_changed'],
  'POST /admin/set-user-password': ['user.password_reset'],
  'POST /admin/stop-impersonating': ['user.impersonation_ended'],
  'POST /admin/unban-user': ['user.unbanned'],
  'POST /admin/update-user': ['user.updated', 'user.role_changed', 'user.email_changed', 'user.banned'],
  'PATCH /admin/users/:id': ['user.updated', 'user.role_changed', 'user.email_changed'],
  'DELETE /admin/users/:userId/consents/:clientId': ['consent.ended'],
  'POST /api-key/create': ['api_key.created'],
  'POST /api-key/delete': ['api_key.revoked'],
  'POST /api-key/rotate': ['api_key.rotated'],
  'POST /api-key/update': ['api_key.updated'],
  'POST /callback/:id': ['user.created', 'session.started', 'user.identity_linked'],
  'POST /change-email': ['user.email_changed'],
  'POST /change-password': ['user.password_changed'],
  'POST /delete-user': ['user.deleted'],
  'POST /email-otp/send-verification-otp': mailed,
  'POST /forget-password': mailed,
  'POST /get-access-token': 'renews the token of a provider for its user',
  'POST /hosted/invitation/sign-up': ['user.created', 'invitation.accepted'],
  'POST /link-social': ['user.identity_linked'],
  'POST /oauth2/choose-organization': 'a step of a sign-in: the consent behind it is recorded',
  'POST /oauth2/consent': ['consent.given', 'consent.withdrawn'],
  'POST /oauth2/decline-step-up': 'gives no proof: the sign-in ends with an error, which is kept as a failed attempt',
  'POST /oauth2/select-account': 'a step of a sign-in: the consent behind it is recorded',
  'POST /organization/accept-invitation': ['invitation.accepted', 'member.added'],
  'POST /organization/add-team-member': ['team.member_added'],
  'POST /organization/cancel-invitation': ['invitation.canceled'],
  'POST /organization/check-slug': reads,
  'POST /organization/create': ['organization.created'],
  'POST /organization/create-team': ['team.created'],
  'POST /organization/delete': ['organization.deleted'],
  'POST /organization/has-permission': reads,
  'POST /organization/invite-member': ['invitation.created'],
  'POST /organization/invite-members': ['invitation.created'],
  'POST /organization/leave': ['member.removed'],
  'POST /organization/reject-invitation': ['invitation.rejected'],
  'POST /organization/remove-member': ['member.removed'],
  'POST /organization/remove-team': ['team.deleted'],
  'POST /organization/remove-team-member': ['team.member_removed'],
  'POST /organization/set-active': session,
  'POST /organization/set-active-team': session,
  'POST /organization/update': ['organization.updated'],
  'POST /organization/update-member-role': ['member.role_changed'],
  'POST /organization/update-team': ['team.updated'],
  'POST /passkey/delete-passkey': ['user.passkey_removed'],
  'POST /passkey/generate-authenticate-options': reads,
  'POST /passkey/update-passkey': ['user.passkey_renamed'],
  'POST /passkey/verify-authentication': ['session.started', 'user.passkey_refused'],
  'POST /passkey/verify-registration': ['user.passkey_added'],
  'POST /recover-address': ['user.email_recovered'],
  'POST /recover-address/check': reads,
  'POST /refresh-token': 'renews the token of a provider for its user',
  'POST /request-password-reset': mailed,
  'POST /reset-password': ['user.password_reset'],
  'POST /revoke-other-sessions': ['user.sessions_ended'],
  'POST /revoke-session': ['session.ended'],
  'POST /revoke-sessions': ['user.sessions_ended'],
  'POST /send-verification-email': mailed,
  'POST /setup': ['user.created'],
  'POST /setup/check': reads,
  'POST /sign-in/email': ['session.started', 'user.locked', 'user.throttled'],
  'POST /sign-in/email-otp': ['session.started', 'user.created'],
  'POST /sign-in/magic-link': mailed,
  'POST /sign-in/social': ['session.started', 'user.created'],
  'POST /sign-out': ['session.ended'],
  'POST /sign-up/email': ['user.created'],
  'POST /two-factor/disable': ['totp.disabled', 'second_factor.disabled'],
  'POST /two-factor/enable': 'makes a secret, which counts for nothing before its first code: that is recorded',
  'POST /two-factor/generate-backup-codes': ['recovery_codes.generated'],
  'POST /two-factor/get-totp-uri': 'shows the secret again to who has just proven it',
  'POST /two-factor/send-otp': mailed,
  'POST /two-factor/verify-otp': ['session.started'],
  'POST /two-factor/revoke-remembered-browser': ['second_factor.browser_forgotten'],
  'POST /two-factor/revoke-remembered-browsers': ['second_factor.browsers_forgotten'],
  'POST /two-factor/verify-backup-code': ['recovery_code.used', 'session.started'],
  'POST /two-factor/verify-totp': ['totp.enabled', 'second_factor.enabled', 'session.started'],
  'POST /unlink-account': ['user.identity_unlinked'],
  'POST /update-user': ['user.updated'],
  'POST /verify-email': ['user.email_verified'],
  'POST /verify-email/check': reads,
  'POST /webhooks/:endpoint': 'the delivery is stored whole; customers that it links are recorded',
}

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
  'check-config': shown,
  completion: shown,
  'create-api-key': ['api_key.created'],
  'create-org': ['organization.created'],
  'create-recovery-link': ['user.recovery_link_created'],
  'create-setup-link': ['instance.setup_link_created'],
  'create-user': ['user.created'],
  'delete-client': ['client.deleted'],
  'delete-org': ['organization.deleted'],
  'delete-user': ['user.deleted'],
  'disable-client': ['client.disabled'],
  'dismiss-delivery': ['delivery.dismissed'],
  doctor: shown,
  'drop-task': ['task.dropped'],
  'enable-client': ['client.enabled'],
  'end-sessions': ['session.ended', 'user.sessions_ended'],
  explain: shown,
  'explain-sign-in': shown,
  'export-audit': ['events.exported'],
  'forget-customer': ['customer.forgotten'],
  'get-client': shown,
  'get-org': shown,
  'get-user': shown,
  'import-breached': 'writes a file: no row changes',
  init: 'writes a file: there may be no database yet',
  'invite-member': ['invitation.created'],
  'link-customer': ['customer.linked'],
  migrate: 'changes the schema, which has a table of its own for what was done and when',
  prune: ['instance.pruned'],
  'rebuild-billing': ['billing.rebuilt'],
  reencrypt: ['instance.reencrypted'],
  'register-client': ['client.created'],
  'remove-webhook-endpoint': ['endpoint.deleted'],
  'replay-delivery': ['delivery.replayed'],
  'requeue-task': ['task.requeued'],
  restore: ['instance.restored'],
  'retry-mail': ['mail.retried'],
  'revoke-api-key': ['api_key.revoked'],
  'rotate-api-key': ['api_key.rotated'],
  'rotate-client-secret': ['client.secret_rotated', 'client.secret_revoked'],
  'rotate-jwks': ['keys.rotated'],
  'rotate-webhook-secret': ['endpoint.keys_changed'],
  serve: 'starts the daemon',
  'set-password': ['user.password_reset'],
  'set-role': ['user.role_changed'],
  'simulate-event': 'sends a delivery, which is stored whole',
  'unban-user': ['user.unbanned'],
  'update-client': ['client.updated'],
  'verify-audit': shown,
}

const typesOf = (table: Readonly<Record<string, Row>>): readonly string[] =>
  Object.values(table).flatMap((row) => (typeof row === 'string' ? [] : [...row]))

test('every endpoint that is no GET has a row with the events that it records, or with the reason why it records none', () => {
  const changing = t.app.routes.flatMap(({ endpoint: { method, path } }) => (method === 'GET' ? [] : [`${method} ${path}`]))
  expect(Object.keys(endpoints).toSorted()).toEqual([...new Set(changing)].toSorted())
})

test('every command but those that list has a row with the events that it records, or with the reason why it records none', () => {
  const names = listedCommands(createProgram()).map((command) => command.name())
  expect(Object.keys(commands).toSorted()).toEqual(
    names.filter((name) => !name.startsWith('list-') && name !== 'help').toSorted(),
  )
})

test('the events of both tables exist, and every other type says what records it without anybody asking', () => {
  const named = new Set([...typesOf(endpoints), ...typesOf(commands)])
  const known = [...t.app.events.types.keys()]
  expect([...named].filter((type) => !known.includes(type))).toEqual([])
  expect(known.filter((type) => !named.has(type)).toSorted()).toEqual([
    // Its call is a GET, which the table does not have.
    'backup.downloaded',
    'events.segment_started',
    'mail.given_up',
    'second_factor.browser_remembered',
    'second_factor.removed',
    'second_factor.required',
    'user.claimed',
  ])
})

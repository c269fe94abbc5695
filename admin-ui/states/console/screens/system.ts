import { adminApiKeyContract } from '../../../../src/api-keys/contract.ts'
import { backupContract } from '../../../../src/backup/contract.ts'
import { healthAdminContract } from '../../../../src/health/diagnosis/contract.ts'
import { signingKeyContract } from '../../../../src/oidc/keys/contract.ts'
import { settingsContract } from '../../../../src/settings/contract.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import { refused } from '../../state.ts'
import type { ScreenCase } from '../case.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, idOf, nextOf, pageRows, rowsOf, times, totalOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'
import { keyOf } from './keys.ts'
import { settingsAnswer } from './settings.ts'
import { userNames } from './users.ts'

type Check = Wire<typeof healthAdminContract, 'diagnose'>['checks'][number]

const fine: readonly Check[] = [
  'database',
  'clock',
  'signingKeys',
  'event-chain',
  'configuration',
  'proxies',
  'disk',
  'waysIn',
].map((check) => ({
  check,
  severity: 'ok',
  message: `${check} is in order.`,
  remedy: null,
  code: null,
  values: {},
  mentions: [],
  since: null,
}))
/** A code that only a newer server knows, so this console has no text for it. */
const unknown = { code: 'of-later', values: {}, mentions: [] }
const found: readonly Check[] = [
  {
    check: 'backup',
    severity: 'failed',
    message:
      'No backup for 9 days: the last one failed with ENOSPC: no space left on device, write /var/lib/gatehouse/backups/2026-11-14T02-00-00Z.ghb.part',
    remedy: 'Free space in backup.directory, or name another directory; then gatehouse backup.',
    code: 'backup-failed',
    values: {
      command: 'gatehouse backup',
      at: daysAgo(9),
      why: 'ENOSPC: no space left on device, write /var/lib/gatehouse/backups/2026-11-14T02-00-00Z.ghb.part',
    },
    mentions: [],
    since: daysAgo(9),
  },
  {
    check: 'tasks',
    severity: 'failed',
    message: '104233 tasks of the kind mail.digest were given up',
    remedy: 'gatehouse list-tasks --status dead --kind mail.digest says why; then gatehouse requeue-task or drop-task',
    code: 'tasks-failed',
    values: { count: 104_233, kind: 'mail.digest', command: 'gatehouse list-tasks --status dead --kind mail.digest' },
    mentions: [],
    since: daysAgo(0.02),
  },
  {
    check: 'mail-server',
    severity: 'warning',
    message: 'The mail server at smtp.northwind-international-holdings.example:587 offers no TLS.',
    remedy: 'Use smtps://, or a server with STARTTLS.',
    ...unknown,
    since: daysAgo(40),
  },
  {
    check: 'second-factors',
    severity: 'warning',
    message: '3 of 5 people with roles have no second factor.',
    remedy: null,
    ...unknown,
    since: daysAgo(3),
  },
  {
    check: 'client-secrets',
    severity: 'notice',
    message: '2 secrets end within 14 days.',
    remedy: 'Rotate them: gatehouse rotate-client-secret',
    ...unknown,
    since: daysAgo(1),
  },
  {
    check: 'passkeys',
    severity: 'notice',
    message: 'Passkeys of this address do not work under another one: passkeys.rpId is not set.',
    remedy: 'Set passkeys.rpId before the first passkey is made.',
    ...unknown,
    since: null,
  },
]

/** Findings of the checks, as many as the amount says. */
export const checksOf = (amount: Amount): Answers =>
  says(healthAdminContract, 'diagnose', { checks: [...fine, ...found.slice({ empty: 6, few: 4, many: 0 }[amount])] })

const one = `/admin/api-keys/${idOf('key', 2)}`
const algorithms = ['ES256', 'EdDSA', 'RS256'] as const
const states = ['next', 'signing', 'retiring', 'retired'] as const
const backupStates = ['made', 'failed', 'running', 'pending', 'deleted'] as const

export const systemCases: readonly ScreenCase[] = [
  { pattern: '/admin/health', answers: checksOf },
  {
    pattern: '/admin/signing-keys',
    answers: (amount) =>
      says(signingKeyContract, 'listSigningKeys', {
        cachedSeconds: 300,
        keys: times({ empty: 0, few: 3, many: 24 }[amount], (index) => ({
          kid: `${idOf('kid', index)}-NzbLsXh8uDCcd7MNwrNQ`,
          alg: algorithms[index % 3] ?? 'ES256',
          state: amount === 'few' ? 'signing' : (states[Math.floor(index / 6)] ?? 'retired'),
          createdAt: agoOf(index),
          signsFrom: index < 6 ? daysAhead(1) : agoOf(index),
          signsUntil: index < 12 ? daysAhead(60) : daysAhead(1),
          retiresAt: index < 12 ? null : daysAhead(3),
        })),
      }),
  },
  {
    pattern: '/admin/settings',
    paths: { empty: '/admin/settings?search=zz', few: '/admin/settings?search=brand.' },
    answers: (amount) => settingsAnswer(amount, { empty: 'zz', few: 'brand.', many: '' }[amount], 6 * pageRows),
    more: { peek: { path: '/admin/settings?peek=trustedOrigins' } },
  },
  {
    pattern: '/admin/api-keys',
    answers: (amount) =>
      together(
        says(adminApiKeyContract, 'adminListApiKeys', {
          apiKeys: rowsOf(amount, keyOf),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
        userNames,
      ),
    more: { peek: { path: `/admin/api-keys?peek=${idOf('key', 2)}` } },
  },
  {
    pattern: '/admin/api-keys/:id',
    path: one,
    answers: (amount) =>
      together(says(adminApiKeyContract, 'adminGetApiKey', keyOf({ empty: 1, few: 0, many: 2 }[amount])), userNames),
    more: { 'not-found': { answers: { [`GET ${one}`]: refused(404, 'API_KEY_NOT_FOUND') } } },
  },
  { pattern: '/admin/retention', answers: settingsAnswer },
  {
    pattern: '/admin/settings/history',
    answers: (amount) =>
      together(
        settingsAnswer(amount),
        says(settingsContract, 'listSettingsVersions', {
          versions: rowsOf(amount, (index) => ({
            version: 400 - index,
            changedAt: agoOf(index),
            changedBy: { kind: 'user', id: idOf('usr', index), name: index % 4 === 3 ? null : 'Ada Lovelace' },
            reason: index % 2 === 0 ? null : 'Password policy of the group, after the review in November (ticket SEC-10423)',
            revertedTo: index % 5 === 4 ? 395 - index : null,
            changes: [
              {
                ...{ key: 'organizations.invitations.acceptanceNeedsVerifiedAddress', isSecret: false, before: 8, after: 12 },
                ...{ wasStored: index % 2 === 0, isStored: true, lowersSecurity: index % 3 === 0 },
              },
            ],
          })),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
      ),
    more: { peek: { path: '/admin/settings/history?peek=399' } },
  },
  {
    pattern: '/admin/backups',
    answers: (amount) =>
      together(
        settingsAnswer(amount),
        says(backupContract, 'adminListBackups', {
          backups: rowsOf(amount, (index) => {
            const status = backupStates[index % 5] ?? 'made'
            const isMade = status === 'made'
            return {
              id: idOf('bak', index),
              status,
              reason: (['schedule', 'call', 'command'] as const)[index % 3] ?? 'call',
              startedAt: agoOf(index),
              endedAt: isMade || status === 'failed' ? agoOf(index) : null,
              file: isMade ? `/var/lib/gatehouse/backups/northwind-international-holdings-2026-11-${index}T02-00-00Z.ghb` : null,
              bytes: isMade ? 48_318_382_080 : null,
              rows: isMade ? 104_233_000 : null,
              sha256: isMade ? 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9' : null,
              hasKeys: isMade ? index % 2 === 0 : null,
              error:
                status === 'failed'
                  ? 'ENOSPC: no space left on device, write /var/lib/gatehouse/backups/2026-11-14T02-00-00Z.ghb.part'
                  : null,
            }
          }),
          next: nextOf(amount),
          total: totalOf(amount),
        }),
      ),
    more: { peek: { path: `/admin/backups?peek=${idOf('bak', 0)}` } },
  },
]

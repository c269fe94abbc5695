import { Link, useLocation } from 'react-router'
import type { healthAdminContract } from '../../../src/health/diagnosis/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import type { Key } from '../../shared/i18n.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Named } from './named.tsx'
import { useServerWords } from './server-words.tsx'
import { Time } from './time.tsx'

export type Finding = Answer<WireApi<typeof healthAdminContract>['diagnose']>['checks'][number]

interface Place {
  readonly path: string
  readonly query?: string
  readonly label: Extract<Key, `console.group.${string}` | `console.screen.${string}`>
}

/** Where what a check finds is looked at and mended. */
const places: Readonly<Record<string, Place>> = {
  'second-factors': { path: '/admin/users', label: 'console.screen.users' },
  'event-chain': { path: '/admin/event-chain', label: 'console.screen.verification' },
  'event-readers': { path: '/admin/events', label: 'console.screen.events' },
  'signing-key-age': { path: '/admin/signing-keys', label: 'console.screen.signingKeys' },
  signingKeys: { path: '/admin/signing-keys', label: 'console.screen.signingKeys' },
  configuration: { path: '/admin/settings', label: 'console.screen.settings' },
  backup: { path: '/admin/backups', label: 'console.screen.backups' },
  deliveries: { path: '/admin/billing/deliveries', query: '?verdict=quarantined', label: 'console.screen.deliveries' },
  renewals: { path: '/admin/billing/drift', label: 'console.screen.drift' },
  tasks: { path: '/admin/tasks', query: '?status=dead', label: 'console.screen.tasks' },
  waysIn: { path: '/admin/ways-in', label: 'console.screen.methods' },
  passkeys: { path: '/admin/ways-in', label: 'console.screen.methods' },
  'passkeys-off': { path: '/admin/ways-in', label: 'console.screen.methods' },
  'breached-passwords': { path: '/admin/ways-in', label: 'console.screen.methods' },
  administrator: { path: '/admin/users', label: 'console.screen.users' },
  proxies: { path: '/admin/settings', label: 'console.screen.settings' },
  pooler: { path: '/admin/settings', label: 'console.screen.settings' },
  disk: { path: '/admin/backups', label: 'console.screen.backups' },
  'client-logos': { path: '/admin/clients', label: 'console.group.applications' },
  'client-pkce': { path: '/admin/clients', label: 'console.group.applications' },
  'client-secrets': { path: '/admin/clients', label: 'console.group.applications' },
}

/** Where everything is looked at that has no screen of its own. */
const elsewhere: Place = { path: '/admin/health', label: 'console.screen.health' }

const tones = { failed: 'bad', warning: 'warn', notice: 'plain', ok: 'good' } as const
const order: Readonly<Record<Finding['severity'], number>> = { failed: 0, warning: 1, notice: 2, ok: 3 }

/** What needs a person, the most urgent first; what is in order comes last. */
export const byUrgency = (checks: readonly Finding[]): readonly Finding[] =>
  checks.toSorted((one, other) => order[one.severity] - order[other.severity])

/** Where the finding is mended, where the person may open it and is not there already. */
const PlaceLink = ({ check }: { readonly check: string }) => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const { pathname } = useLocation()
  const known = places[check]
  const place = known !== undefined && screens.has(known.path) ? known : elsewhere
  if (place.path === pathname || !screens.has(place.path)) return null
  return (
    <Link className="button button-secondary" to={place.path + (place.query ?? '')}>
      {t('console.finding.open', { screen: t(place.label) })}
    </Link>
  )
}

/** The values with names in the places of ids. */
const named = (values: Finding['values'], mentions: Finding['mentions']) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, mentions.find(({ id }) => id === value)?.name ?? value] as const),
  )

/** Findings of the checks: how much each matters, what is so, what mends it, and where. The texts are those of `consoleFindings`. */
export const Findings = ({ checks }: { readonly checks: readonly Finding[] }) => {
  const { t } = useI18n()
  const wordsOf = useServerWords()
  return (
    <ul className="findings">
      {checks.map(({ check, severity, message, remedy, code, values, mentions, since }) => (
        <li key={`${check} ${message}`} className="finding">
          <span className="finding-state">
            <Badge tone={tones[severity]}>{t(`console.finding.${severity}`)}</Badge>
          </span>
          <div className="finding-text">
            {message === '' ? null : <p className="break">{wordsOf(`findings.${code}`, named(values, mentions), message)}</p>}
            {since === null ? null : (
              <p className="finding-since">
                {t('console.finding.since')} <Time at={since} />
              </p>
            )}
            {remedy === null ? null : (
              <p className="finding-remedy break">
                {t('console.finding.remedy')} {wordsOf(`findings.${code}.remedy`, values, remedy)}
              </p>
            )}
            {mentions.length === 0 ? null : (
              <p className="event-named">
                {mentions.map((mention) => (
                  <Named key={mention.id} of={mention} />
                ))}
              </p>
            )}
            <code className="finding-check">{check}</code>
          </div>
          {severity === 'ok' ? null : <PlaceLink check={check} />}
        </li>
      ))}
    </ul>
  )
}

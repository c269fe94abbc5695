import { Suspense, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { healthAdminContract } from '../../../src/health/diagnosis/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import type { Key } from '../../shared/i18n.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from './action-button.tsx'
import { Named } from './named.tsx'
import { RemedyLink, useCommandPlace } from './remedy.tsx'
import { useServerWords } from './server-words.tsx'
import { Time } from './time.tsx'
import { useLater } from './use-later.ts'

export type Finding = Answer<WireApi<typeof healthAdminContract>['diagnose']>['checks'][number]

interface Place {
  readonly path: string
  readonly query?: string
  readonly label: Extract<Key, `console.group.${string}` | `console.screen.${string}`>
}

/** The screen on which a finding can be resolved, by the name of the check that found it. */
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

/** Addresses of lists that show what a finding is about, by the code of the finding. */
const lists: Readonly<Record<string, (values: Finding['values']) => string>> = {
  'factors-lacking': ({ role = '' }) => `/admin/users?${new URLSearchParams({ role: String(role) })}`,
  'factors-late': () => '/admin/users?secondFactor=overdue',
  'factors-late-many': () => '/admin/users?secondFactor=overdue',
}

/** The screen for findings of checks that are not in `places`. */
const elsewhere: Place = { path: '/admin/health', label: 'console.screen.health' }

const tones = { failed: 'bad', warning: 'warn', notice: 'plain', ok: 'good' } as const
const order: Readonly<Record<Finding['severity'], number>> = { failed: 0, warning: 1, notice: 2, ok: 3 }

/** Sorts findings by urgency, the most urgent first. Passed checks come last. */
export const byUrgency = (checks: readonly Finding[]): readonly Finding[] =>
  checks.toSorted((one, other) => order[one.severity] - order[other.severity])

/** A link to the screen on which the finding can be resolved. Renders nothing if the person may not open that screen, or is on it already. */
const PlaceLink = ({ check: { check, code, values } }: { readonly check: Finding }) => {
  const { t } = useI18n()
  const { screens } = useConsole()
  const { pathname } = useLocation()
  const list = lists[code ?? '']?.(values)
  if (list !== undefined && screens.has('/admin/users'))
    return (
      <Link className="button button-secondary" to={list}>
        {t('console.finding.show')}
      </Link>
    )
  const known = places[check]
  const place = known !== undefined && screens.has(known.path) ? known : elsewhere
  if (place.path === pathname || !screens.has(place.path)) return null
  return (
    <Link className="button button-secondary" to={place.path + (place.query ?? '')}>
      {t('console.finding.open', { screen: t(place.label) })}
    </Link>
  )
}

/** The placeholders' values for the text of a finding, with names in place of ids. */
const named = (values: Finding['values'], mentions: Finding['mentions']) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, mentions.find(({ id }) => id === value)?.name ?? value] as const),
  )

/** True if the console has a button that does the same as the command in the finding's remedy. */
const isMendedHere = ({ code, mentions }: Finding) => code === 'factor-not-required' && mentions.length > 0

/** A button that requires a second factor of the one person whom the finding is about. */
const RequireFactor = ({ user: { id, name } }: { readonly user: Finding['mentions'][number] }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const Dialog = useLater(() => import('../people/factor-dialog.tsx').then(({ FactorDialog }) => FactorDialog), 'consolePeople')
  if (id === null) return null
  return (
    <>
      <ActionButton permission="users:set-password" onClick={() => setIsOpen(true)}>
        {t('console.finding.requireFactor')}
      </ActionButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <Dialog user={{ id, name: name ?? id }} named={id} isRequired onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

/** A button that requires a second factor of all people with the roles that the finding is about. */
const RequireOfRole = ({ roles }: { readonly roles: readonly string[] }) => {
  const { t, list } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const load = () => import('../people/role-factor.tsx').then(({ RequireOfRoles }) => RequireOfRoles)
  const Dialog = useLater(load, 'consolePeople', 'consoleSettings', 'consoleWays')
  return (
    <>
      <ActionButton permission="settings:update" onClick={() => setIsOpen(true)}>
        {t('console.finding.requireOfRole', { roles: list(roles) })}
      </ActionButton>
      {isOpen ? (
        <Suspense fallback={null}>
          <Dialog roles={roles} onClose={() => setIsOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

interface RemedyTextProps extends Pick<Finding, 'code' | 'values'> {
  readonly remedy: string
}

/** The remedy of a finding as text. Renders nothing if a link replaces the command in the remedy. */
const RemedyText = ({ code, values, remedy }: RemedyTextProps) => {
  const { t } = useI18n()
  const wordsOf = useServerWords()
  return useCommandPlace(values['command']) !== undefined ? null : (
    <p className="finding-remedy break">
      {t('console.finding.remedy')} {wordsOf(`findings.${code}.remedy`, values, remedy)}
    </p>
  )
}

/** Findings of the checks, each with severity, text, remedy and link. Texts are in `consoleFindings`. */
export const Findings = ({ checks }: { readonly checks: readonly Finding[] }) => {
  const { t } = useI18n()
  const wordsOf = useServerWords()
  return (
    <ul className="findings">
      {checks.map((finding) => {
        const { check, severity, message, remedy, code, values, mentions, since } = finding
        const unrequired = String(values['unrequired'] ?? '')
        return (
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
              {remedy === null || isMendedHere(finding) ? null : <RemedyText code={code} values={values} remedy={remedy} />}
              {mentions.length === 0 ? null : (
                <p className="event-named">
                  {mentions.map((mention) => (
                    <Named key={mention.id} of={mention} />
                  ))}
                </p>
              )}
              <code className="finding-check">{check}</code>
            </div>
            {severity === 'ok' ? null : (
              <span className="finding-actions">
                {isMendedHere(finding) && mentions[0] !== undefined ? (
                  <RequireFactor user={mentions[0]} />
                ) : (
                  <RemedyLink command={values['command']} otherwise={<PlaceLink check={finding} />} />
                )}
                {unrequired === '' ? null : <RequireOfRole roles={unrequired.split(',')} />}
              </span>
            )}
          </li>
        )
      })}
    </ul>
  )
}

import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { Panel } from '../shared/facts.tsx'
import type { Section } from './sections.ts'
import type { Setting } from './setting-values.ts'
import { durationText, valueText } from './setting-values.ts'

interface Line {
  readonly id: Section['id']
  readonly state: ReactNode
  readonly text: ReactNode
}

/** Ids of the enabled identity providers. A provider is enabled if it has a client id and is not disabled. */
const providersOf = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap(({ key, isSet }) => {
    const [, id] = /^social\.([^.]+)\.clientId$/.exec(key) ?? []
    return id === undefined || !isSet ? [] : [id]
  })

const useLines = (settings: readonly Setting[]): readonly Line[] => {
  const i18n = useI18n()
  const { screens } = useConsole()
  const { t, locale, list } = i18n
  const values = new Map(settings.map(({ key, value }) => [key, value]))
  const text = (key: string) => valueText(key, values.get(key) ?? null, i18n)
  const seconds = (key: string) => durationText(locale, Number(values.get(key) ?? 0))
  const isOn = (key: string) => values.get(key) === true
  const state = (on: boolean) => <Badge tone={on ? 'good' : 'plain'}>{t(on ? 'ways.on' : 'ways.off')}</Badge>
  const providers = providersOf(settings)
  const required = values.get('secondFactor.requiredFor') ?? 'auto'
  const isAuto = required === 'auto'
  const [minimum, maximum] = [text('password.minLength'), text('password.maxLength')]
  const breached = values.get('password.breached.source') === 'off' ? t('ways.breachedOff') : t('ways.breachedOn')
  return [
    {
      id: 'password',
      state: state(isOn('accounts.emailPasswordEnabled')),
      text: `${t('ways.passwordLength', { minimum, maximum })} ${breached}`,
    },
    {
      id: 'mail',
      state: state(isOn('mailSignIn.enabled')),
      text: t(isOn('mailSignIn.signUp') ? 'ways.mailNew' : 'ways.mailKnown'),
    },
    {
      id: 'passkeys',
      state: state(isOn('passkeys.enabled')),
      text: t('ways.passkeyOffer', { offer: text('passkeys.offerAfterSignIn') }),
    },
    {
      id: 'providers',
      state: state(providers.length > 0),
      text:
        providers.length === 0 ? (
          t('ways.noProviders')
        ) : screens.has('/admin/providers') ? (
          <Link to="/admin/providers">{list(providers)}</Link>
        ) : (
          list(providers)
        ),
    },
    {
      id: 'second',
      state: state(isAuto || (Array.isArray(required) && required.length > 0)),
      text: isAuto ? t('ways.secondAuto') : t('ways.secondFor', { roles: text('secondFactor.requiredFor') }),
    },
    {
      id: 'signUp',
      state: (
        <Badge tone={isOn('accounts.signUpEnabled') ? 'good' : 'plain'}>
          {t(isOn('accounts.signUpEnabled') ? 'ways.open' : 'ways.closed')}
        </Badge>
      ),
      text: t(isOn('accounts.requireEmailVerification') ? 'ways.verified' : 'ways.unverified'),
    },
    {
      id: 'sessions',
      state: <Badge tone="plain">{seconds('sessions.expiresInSeconds')}</Badge>,
      text: t('ways.sessionText', {
        most: seconds('sessions.absoluteExpiresInSeconds'),
        fresh: seconds('sessions.freshAgeSeconds'),
      }),
    },
    {
      id: 'limits',
      state: <Badge tone="plain">{text('limits.enabled')}</Badge>,
      text: t('ways.guessing', {
        count: Number(values.get('accounts.guessing.freeAttempts') ?? 0),
        most: seconds('accounts.guessing.longestWaitSeconds'),
      }),
    },
  ]
}

/** Summarizes the sign-in methods, one sentence for each. The name of a method links to its settings. */
export const Summary = ({ settings }: { readonly settings: readonly Setting[] }) => {
  const { t } = useI18n()
  return (
    <Panel title={t('ways.summary')}>
      <ul className="glance">
        {useLines(settings).map(({ id, state, text }) => (
          <li key={id} className="glance-line">
            <a className="glance-name" href={`#section-${id}`}>
              {t(`ways.section.${id}`)}
            </a>
            <span className="glance-state">{state}</span>
            <span className="glance-text break">{text}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

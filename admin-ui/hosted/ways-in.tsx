import type { ReactNode } from 'react'
import type { verificationContract } from '../../src/authentication/verification/contract.ts'
import type { WireApi } from '../../src/http/contract.ts'
import type { Answer, Settings } from '../shared/api.ts'
import { useI18n } from '../shared/text.tsx'

/** A sign-in method, as the server names it. */
export type WayIn = Answer<WireApi<typeof verificationContract>['reportActivity']>['waysIn'][number]

/** The name of a sign-in method in a list. */
const useNames = ({ socialProviders }: Settings) => {
  const { t } = useI18n()
  return ({ kind, name }: WayIn): string => {
    const shown = name ?? ''
    if (kind === 'provider') return t('notMe.provider', { name: socialProviders.find(({ id }) => id === shown)?.name ?? shown })
    if (kind === 'totp') return t('notMe.totp')
    return t(kind === 'passkey' ? 'notMe.passkey' : 'notMe.securityKey', { name: shown })
  }
}

interface ListProps {
  readonly title: string
  readonly ways: readonly WayIn[]
  readonly settings: Settings
  readonly children?: ReactNode
}

const List = ({ title, ways, settings, children }: ListProps) => {
  const { date } = useI18n()
  const nameOf = useNames(settings)
  return (
    <>
      <h2 className="remaining-title">{title}</h2>
      <ul className="remaining">
        {children}
        {ways.map((way) => (
          <li key={`${way.kind} ${way.name} ${way.addedAt}`} className="break">
            {nameOf(way)}
            {way.addedAt === null ? null : <span className="quiet"> · {date(way.addedAt)}</span>}
          </li>
        ))}
      </ul>
    </>
  )
}

interface WaysInProps {
  readonly waysIn: readonly WayIn[]
  /** The removed sign-in methods. */
  readonly removed?: readonly WayIn[]
  /** The address of the account. */
  readonly email: string
  readonly settings: Settings
}

/** Removed and remaining sign-in methods. Some may belong to another person. */
export const WaysIn = ({ waysIn, removed = [], email, settings }: WaysInProps) => {
  const { t } = useI18n()
  return (
    <>
      {removed.length === 0 ? null : <List title={t('notMe.removed')} ways={removed} settings={settings} />}
      {waysIn.length === 0 && !settings.mailSignInEnabled ? null : (
        <List title={t('notMe.waysIn')} ways={waysIn} settings={settings}>
          {settings.mailSignInEnabled ? <li className="break">{t('notMe.mail', { email })}</li> : null}
        </List>
      )}
      {waysIn.length === 0 ? null : <p className="quiet">{t('notMe.remove')}</p>}
    </>
  )
}

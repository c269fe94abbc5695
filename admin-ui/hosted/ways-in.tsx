import type { verificationContract } from '../../src/authentication/verification/contract.ts'
import type { WireApi } from '../../src/http/contract.ts'
import type { Answer, Settings } from '../shared/api.ts'
import { useI18n } from '../shared/text.tsx'

/** Something that signs in to an account, as the server names it. */
export type WayIn = Answer<WireApi<typeof verificationContract>['reportActivity']>['waysIn'][number]

interface WaysInProps {
  readonly waysIn: readonly WayIn[]
  /** The address of the account. */
  readonly email: string
  readonly settings: Settings
}

/** What signs in still: one of it may be another person's. */
export const WaysIn = ({ waysIn, email, settings }: WaysInProps) => {
  const { t, date } = useI18n()
  const nameOf = ({ kind, name }: WayIn): string => {
    const shown = name ?? ''
    if (kind === 'provider')
      return t('notMe.provider', { name: settings.socialProviders.find(({ id }) => id === shown)?.name ?? shown })
    if (kind === 'totp') return t('notMe.totp')
    return t(kind === 'passkey' ? 'notMe.passkey' : 'notMe.securityKey', { name: shown })
  }
  if (waysIn.length === 0 && !settings.mailSignInEnabled) return null
  return (
    <>
      <h2 className="remaining-title">{t('notMe.waysIn')}</h2>
      <ul className="remaining">
        {settings.mailSignInEnabled ? <li className="break">{t('notMe.mail', { email })}</li> : null}
        {waysIn.map((way) => (
          <li key={`${way.kind} ${way.name} ${way.addedAt}`} className="break">
            {nameOf(way)}
            {way.addedAt === null ? null : <span className="quiet"> · {date(way.addedAt)}</span>}
          </li>
        ))}
      </ul>
      {waysIn.length === 0 ? null : <p className="quiet">{t('notMe.remove')}</p>}
    </>
  )
}

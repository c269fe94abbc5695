import { use } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { listPath } from '../organizations/spots.ts'
import { Said } from '../said.tsx'
import type { InvitationView } from './link.ts'

/** On from an invitation that is over: to the own organizations, by way of sign-in where that is needed. */
const Onward = () => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const isSignedIn = use(resources.session()) !== null
  return (
    <div className="actions">
      <LinkButton href={listPath}>{t(isSignedIn ? 'org.toList' : 'common.toSignIn')}</LinkButton>
    </div>
  )
}

interface EndedProps {
  readonly view: InvitationView
  readonly state: Exclude<InvitationView['state'], 'pending'>
}

const icons = { accepted: 'check', rejected: 'check', canceled: 'alert', expired: 'clock' } as const

/** Why an invitation cannot be answered any more, and what helps. */
export const Ended = ({ view, state }: EndedProps) => {
  const { t } = useI18n()
  const { organizationName: organization, inviterName } = view
  const isCalm = state === 'accepted' || state === 'rejected'
  const inviter = inviterName ?? t('invitation.somebody')
  const text =
    state === 'accepted' || state === 'rejected'
      ? t(`invitation.${state}Text`, { organization })
      : t(`invitation.${state}Text`, { organization, inviter })
  return (
    <Said icon={icons[state]} tone={isCalm ? 'calm' : 'warn'} title={t(`invitation.${state}Title`)} text={text}>
      <Onward />
    </Said>
  )
}

/** For an address of no invitation. */
export const Unknown = () => {
  const { t } = useI18n()
  return (
    <Said icon="alert" tone="warn" title={t('invitation.unknownTitle')} text={t('invitation.unknownText')}>
      <Onward />
    </Said>
  )
}

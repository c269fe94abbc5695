import { use } from 'react'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { listPath } from '../organizations/routes.ts'
import type { InvitationView } from './link.ts'

/** A link from an invitation that can no longer be accepted: to the person's organizations, or to the sign-in page. */
const NextStep = () => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const isSignedIn = use(resources.session()) !== null
  return (
    <div className="actions">
      <LinkButton href={listPath}>{t(isSignedIn ? 'org.toList' : 'common.toSignIn')}</LinkButton>
    </div>
  )
}

interface ClosedInvitationProps {
  readonly view: InvitationView
  readonly state: Exclude<InvitationView['state'], 'pending'>
}

const icons = { accepted: 'check', rejected: 'check', canceled: 'alert', expired: 'clock' } as const

/** Explains why an invitation can no longer be accepted or declined, and what the person can do. */
export const ClosedInvitation = ({ view, state }: ClosedInvitationProps) => {
  const { t } = useI18n()
  const { organizationName: organization, inviterName } = view
  const isCalm = state === 'accepted' || state === 'rejected'
  const inviter = inviterName ?? t('invitation.somebody')
  const text =
    state === 'accepted' || state === 'rejected'
      ? t(`invitation.${state}Text`, { organization })
      : t(`invitation.${state}Text`, { organization, inviter })
  return (
    <MessageCard icon={icons[state]} tone={isCalm ? 'calm' : 'warn'} title={t(`invitation.${state}Title`)} text={text}>
      <NextStep />
    </MessageCard>
  )
}

/** Shown if no invitation has the id in the address. */
export const UnknownInvitation = () => {
  const { t } = useI18n()
  return (
    <MessageCard icon="alert" tone="warn" title={t('invitation.unknownTitle')} text={t('invitation.unknownText')}>
      <NextStep />
    </MessageCard>
  )
}

import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { FormProblem } from '../../shared/error-messages.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { MessageCard } from '../message-card.tsx'
import { listPath, organizationPath } from '../organizations/routes.ts'
import { pageUrl } from '../return-url.ts'
import { InvitationCard } from './card.tsx'
import { ClosedInvitation, UnknownInvitation } from './closed.tsx'
import type { InvitationLink } from './link.ts'
import { forgetInvitation } from './link.ts'
import { SignUpForm } from './sign-up.tsx'
import '../more.css'

interface Props {
  readonly link: InvitationLink
}

/** Returns a function that goes to the organization which the person has just joined. */
const useOpenOrganization = (id: string) => {
  const { api } = useHosted()
  return async (organizationId: string) => {
    forgetInvitation(id)
    const found = await api
      .of(organizationContract)
      .getOrganization({ query: { organizationId } })
      .catch(() => null)
    location.replace(found === null ? listPath : organizationPath(found.slug))
  }
}

/** Shown to a person who is signed in with the invited email address. They can accept or decline. */
const Answer = ({ link: { id, token, view } }: Props) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const openOrganization = useOpenOrganization(id)
  const [busy, setBusy] = useState<'accept' | 'decline'>()
  const [problem, setProblem] = useState<FormProblem>()
  const [isDeclined, setDeclined] = useState(false)
  const body = { invitationId: id, ...(token === undefined ? {} : { token }) }
  const answer = async (what: 'accept' | 'decline', call: () => Promise<void>) => {
    if (busy !== undefined) return
    setBusy(what)
    setProblem(undefined)
    try {
      await call()
    } catch (error) {
      setProblem(errorMessages(error, [], api.retryAfterSeconds(), i18n).form)
      setBusy(undefined)
    }
  }
  const accept = () =>
    answer('accept', async () => {
      const { member } = await api.of(invitationContract).acceptInvitation({ body })
      await openOrganization(member.organizationId)
    })
  const decline = () =>
    answer('decline', async () => {
      await api.of(invitationContract).rejectInvitation({ body })
      forgetInvitation(id)
      setDeclined(true)
    })
  if (isDeclined) {
    return (
      <MessageCard
        icon="check"
        title={t('invitation.declinedTitle')}
        text={t('orgs.declined', { organization: view.organizationName })}
        replacesForm
      >
        <div className="actions">
          <LinkButton href={listPath}>{t('org.toList')}</LinkButton>
        </div>
      </MessageCard>
    )
  }
  return (
    <InvitationCard view={view}>
      <div className="actions">
        <Button kind="secondary" working={busy === 'decline'} onClick={() => void decline()}>
          {t('orgs.decline')}
        </Button>
        <Button working={busy === 'accept'} onClick={() => void accept()}>
          {t('orgs.accept')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={busy !== undefined} />
    </InvitationCard>
  )
}

/** Shown to a person who is signed in with an email address other than the invited one. */
const OtherAccount = ({ link: { view }, signedInAs }: Props & { readonly signedInAs: string }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [leaving, setLeaving] = useState(false)
  const change = async () => {
    setLeaving(true)
    // If the call fails, for example because the session has already ended, the page goes on as after a sign-out.
    await api.sessions.signOut().catch(() => undefined)
    location.reload()
  }
  const strong = (text: string) => <strong className="break">{text}</strong>
  return (
    <InvitationCard
      view={view}
      lead={<Text id="invitation.other" values={{ email: strong(view.email), account: strong(signedInAs) }} />}
    >
      <div className="actions actions-stacked">
        <Button working={leaving} onClick={() => void change()}>
          {t('invitation.switch')}
        </Button>
        <LinkButton href="/account" kind="secondary">
          {t('invitation.stay')}
        </LinkButton>
      </div>
    </InvitationCard>
  )
}

/** Shown to a person who is not signed in. They can sign in, or make an account on this page. */
const SignedOut = ({ link }: Props) => {
  const { query, path } = useHosted()
  const { t } = useI18n()
  const openOrganization = useOpenOrganization(link.id)
  const { hasAccount, maySignUp, email } = link.view
  if (hasAccount) {
    return (
      <InvitationCard view={link.view}>
        <div className="actions">
          <LinkButton href={pageUrl('/sign-in', query, { callbackURL: path, email })}>{t('invitation.signIn')}</LinkButton>
        </div>
        {link.token === undefined ? null : <p className="card-foot">{t('invitation.signInHint')}</p>}
      </InvitationCard>
    )
  }
  if (maySignUp && link.token !== undefined) {
    return (
      <InvitationCard view={link.view}>
        <SignUpForm id={link.id} token={link.token} view={link.view} onDone={openOrganization} />
      </InvitationCard>
    )
  }
  return (
    <InvitationCard view={link.view} lead={t('invitation.noSignUp')}>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query, { callbackURL: path, email })} kind="secondary">
          {t('invitation.signIn')}
        </LinkButton>
      </div>
    </InvitationCard>
  )
}

/** The page of an invitation, for people with or without a session. */
export const InvitationPage = () => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const link = use(resources.invitation())
  useTitle(t('invitation.title'))
  if (link === 'none') return <UnknownInvitation />
  const { state, signedInAs } = link.view
  if (state !== 'pending') return <ClosedInvitation view={link.view} state={state} />
  if (signedInAs === null) return <SignedOut link={link} />
  return signedInAs.isInvited ? <Answer link={link} /> : <OtherAccount link={link} signedInAs={signedInAs.email} />
}

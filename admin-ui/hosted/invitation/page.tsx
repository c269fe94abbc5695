import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { FormProblem } from '../../shared/explain.ts'
import { explain } from '../../shared/explain.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../continuation.ts'
import { listPath, organizationPath } from '../organizations/spots.ts'
import { Said } from '../said.tsx'
import { Ended, Unknown } from './ended.tsx'
import { Invited } from './invited.tsx'
import type { InvitationLink } from './link.ts'
import { forgetInvitation } from './link.ts'
import { SignUpForm } from './sign-up.tsx'

interface Props {
  readonly link: InvitationLink
}

/** Leads into the organization that the person has just joined. */
const useArrive = (id: string) => {
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

/** For who is signed in with the invited address. */
const Answer = ({ link: { id, token, view } }: Props) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const arrive = useArrive(id)
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
      setProblem(explain(error, [], api.retryAfterSeconds(), i18n).form)
      setBusy(undefined)
    }
  }
  const accept = () =>
    answer('accept', async () => {
      const { member } = await api.of(invitationContract).acceptInvitation({ body })
      await arrive(member.organizationId)
    })
  const decline = () =>
    answer('decline', async () => {
      await api.of(invitationContract).rejectInvitation({ body })
      forgetInvitation(id)
      setDeclined(true)
    })
  if (isDeclined) {
    return (
      <Said
        icon="check"
        title={t('invitation.declinedTitle')}
        text={t('orgs.declined', { organization: view.organizationName })}
        isAnswer
      >
        <div className="actions">
          <LinkButton href={listPath}>{t('org.toList')}</LinkButton>
        </div>
      </Said>
    )
  }
  return (
    <Invited view={view}>
      <div className="actions">
        <Button kind="secondary" working={busy === 'decline'} onClick={() => void decline()}>
          {t('orgs.decline')}
        </Button>
        <Button working={busy === 'accept'} onClick={() => void accept()}>
          {t('orgs.accept')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={busy !== undefined} />
    </Invited>
  )
}

/** For who is signed in with another address. */
const OtherAccount = ({ link: { view }, caller }: Props & { readonly caller: string }) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const [leaving, setLeaving] = useState(false)
  const change = async () => {
    setLeaving(true)
    // A session that is over already is no obstacle.
    await api.sessions.signOut().catch(() => undefined)
    location.reload()
  }
  const strong = (text: string) => <strong className="break">{text}</strong>
  return (
    <Invited view={view} lead={<Text id="invitation.other" values={{ email: strong(view.email), caller: strong(caller) }} />}>
      <div className="actions actions-stacked">
        <Button working={leaving} onClick={() => void change()}>
          {t('invitation.switch')}
        </Button>
        <LinkButton href="/account" kind="secondary">
          {t('invitation.stay')}
        </LinkButton>
      </div>
    </Invited>
  )
}

/** For who is not signed in: in with the account there is, or with one made here. */
const SignedOut = ({ link }: Props) => {
  const { query, path } = useHosted()
  const { t } = useI18n()
  const arrive = useArrive(link.id)
  const { hasAccount, maySignUp, email } = link.view
  if (hasAccount) {
    return (
      <Invited view={link.view}>
        <div className="actions">
          <LinkButton href={pageUrl('/sign-in', query, { callbackURL: path, email })}>{t('invitation.signIn')}</LinkButton>
        </div>
        {link.token === undefined ? null : <p className="card-foot">{t('invitation.signInHint')}</p>}
      </Invited>
    )
  }
  if (maySignUp && link.token !== undefined) {
    return (
      <Invited view={link.view}>
        <SignUpForm id={link.id} token={link.token} view={link.view} onDone={arrive} />
      </Invited>
    )
  }
  return (
    <Invited view={link.view} lead={t('invitation.noSignUp')}>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query, { callbackURL: path, email })} kind="secondary">
          {t('invitation.signIn')}
        </LinkButton>
      </div>
    </Invited>
  )
}

/** Where the link of an invitation leads, signed in or not. */
export const InvitationPage = () => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const link = use(resources.invitation())
  useTitle(t('invitation.title'))
  if (link === 'none') return <Unknown />
  const { state, caller } = link.view
  if (state !== 'pending') return <Ended view={link.view} state={state} />
  if (caller === null) return <SignedOut link={link} />
  return caller.isInvited ? <Answer link={link} /> : <OtherAccount link={link} caller={caller.email} />
}

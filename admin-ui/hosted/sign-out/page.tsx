import { use, useEffect } from 'react'
import { FormEnd } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { MessageCard } from '../message-card.tsx'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { holdRedirect } from '../social/redirect.ts'
import type { SignOutQuestion } from './question.ts'

/** Parameters of a sign-out request, under their names in the protocol. */
const inCode = {
  id_token_hint: <code>id_token_hint</code>,
  client_id: <code>client_id</code>,
  post_logout_redirect_uri: <code>post_logout_redirect_uri</code>,
}

const Question = ({ client, returnProblem }: SignOutQuestion) => {
  const { t } = useI18n()
  const { api, query } = useHosted()
  const { choice, waitSeconds, blocked, problem, decide } = useDecision((_: 'out') => {
    holdRedirect()
    return api.oidc.confirmSignOut({ body: { question: query.get('question') ?? '' } })
  })
  return (
    <Card>
      <Heading title={t('signOut.title')}>
        {client === null ? (
          t('signOut.unidentifiedAsks')
        ) : (
          <Text id="signOut.asks" values={{ client: <strong className="break">{client}</strong> }} />
        )}
      </Heading>
      {returnProblem === null ? null : (
        <p className="sign-out-note break">
          <Text id={`signOut.${returnProblem}`} values={inCode} />
        </p>
      )}
      <div className="actions">
        <LinkButton href="/account" kind="secondary">
          {t('signOut.stay')}
        </LinkButton>
        <Button working={choice !== undefined} blocked={blocked} onClick={() => decide('out')}>
          {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : t('signOut.submit')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={choice !== undefined} />
      <p className="visually-hidden" role="status">
        {choice === undefined ? '' : t('signOut.working')}
      </p>
    </Card>
  )
}

/** The page that is shown after a sign-out if the sign-out had no return URL. */
const SignedOut = () => {
  const { query } = useHosted()
  const { t } = useI18n()
  // Without this call, the sign-in page would immediately redirect to the only identity provider, which would sign the person in again.
  useEffect(holdRedirect, [])
  useTitle(t('signOut.doneTitle'))
  return (
    <MessageCard icon="check" title={t('signOut.doneTitle')} text={t('signOut.done')}>
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query)}>{t('common.toSignIn')}</LinkButton>
      </div>
    </MessageCard>
  )
}

/** The page that asks the person to confirm a sign-out. It has to ask, because any website can link here. */
export const SignOutPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const question = use(resources.signOutQuestion())
  const session = use(resources.session())
  useTitle(t(question === 'over' ? 'signOut.overTitle' : 'signOut.title'))
  // Anybody can open `?done`, so the page says "signed out" only if there really is no session.
  if (query.has('done') && session === null) return <SignedOut />
  if (question !== 'over') return <Question {...question} />
  return (
    <MessageCard icon="clock" title={t('signOut.overTitle')} text={t('signOut.over')}>
      <div className="actions">
        <LinkButton href="/account">{t('notFound.account')}</LinkButton>
      </div>
    </MessageCard>
  )
}

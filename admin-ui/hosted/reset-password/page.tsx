import { lazy, use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { LinkButton } from '../../shared/ui.tsx'
import { useHosted, useTitle } from '../context.tsx'
import type { ResetLink } from '../links.ts'
import { MessageCard } from '../message-card.tsx'
import { NewPasswordByLink } from '../new-password.tsx'
import { pageUrl } from '../return-url.ts'

const callsOf = (api: HostedApi) => api.of(newPasswordContract)
type Call = ReturnType<typeof callsOf>['resetPassword']
type Organizations = NonNullable<Answer<Call>['organizations']>

const choiceIn = (data: FormData) => {
  const chosen = data.get('account')
  return chosen === 'start-fresh' || chosen === 'take-over' ? chosen : undefined
}

/** This code is loaded when it is first needed, because the question is rare. */
const ClaimChoice = lazy(async () => ({ default: (await import('./claim.tsx')).ClaimChoice }))

const InvalidLink = ({ replacesForm }: { readonly replacesForm: boolean }) => {
  const { query } = useHosted()
  const { t } = useI18n()
  useTitle(t('reset.invalidTitle'))
  return (
    <MessageCard icon="key" tone="warn" title={t('reset.invalidTitle')} text={t('reset.invalid')} replacesForm={replacesForm}>
      <div className="actions">
        <LinkButton href={pageUrl('/forgot-password', query)}>{t('reset.again')}</LinkButton>
      </div>
      <p className="card-foot">
        <a href={pageUrl('/sign-in', query)}>{t('common.backToSignIn')}</a>
      </p>
    </MessageCard>
  )
}

/** The account page that lists all sign-in methods. The person should review them, because the former owner may have added some. */
const reviewPath = '/account/linked?review'

/** Lists the other members of the organizations in the account that the person has just taken over. */
const Members = ({ organizations }: { readonly organizations: Organizations }) => {
  const { t } = useI18n()
  const shared = organizations.filter(({ members }) => members.length > 0)
  if (shared.length === 0) return null
  return (
    <>
      {shared.map(({ id, name, members, memberCount }) => (
        <section key={id}>
          <h2 className="remaining-title break">{t('reset.claim.membersOf', { name })}</h2>
          <ul className="remaining">
            {members.map((member) => (
              <li key={member.email} className="break">
                {member.name} <span className="quiet">{member.email}</span>
              </li>
            ))}
            {memberCount - 1 > members.length ? (
              <li className="quiet">{t('reset.claim.more', { count: memberCount - 1 - members.length })}</li>
            ) : null}
          </ul>
        </section>
      ))}
      <p className="quiet">{t('reset.claim.remove')}</p>
    </>
  )
}

const Done = ({ organizations }: { readonly organizations: Organizations }) => {
  const { query } = useHosted()
  // True if the person will go on to an application's sign-in or to a page that `callbackURL` names.
  const isOnTheWay = query.has('interaction') || query.has('callbackURL')
  const { t } = useI18n()
  useTitle(t('reset.doneTitle'))
  return (
    <MessageCard icon="check" title={t('reset.doneTitle')} text={t('reset.done')} replacesForm>
      <Members organizations={organizations} />
      <div className="actions">
        <LinkButton href={pageUrl('/sign-in', query, isOnTheWay ? {} : { callbackURL: reviewPath })}>
          {t('signIn.submit')}
        </LinkButton>
      </div>
    </MessageCard>
  )
}

interface ResetFormProps {
  readonly link: ResetLink
  readonly onEnd: (end: Organizations | 'invalid') => void
}

const ResetForm = ({ link: { token, email, account }, onEnd }: ResetFormProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const send = async (newPassword: string, data: FormData) => {
    const { organizations = [] } = await callsOf(api).resetPassword({ body: { newPassword, token, account: choiceIn(data) } })
    onEnd(organizations)
  }
  return (
    <NewPasswordByLink
      title={t('reset.title')}
      lead={account === null ? t('reset.lead') : undefined}
      label={t('reset.submit')}
      email={email}
      personal={email === undefined ? [] : [email]}
      question={account === null ? undefined : <ClaimChoice account={account} />}
      send={send}
      onEnd={(end) => (end === 'invalid' ? onEnd(end) : undefined)}
    />
  )
}

export const ResetPasswordPage = () => {
  const { resources } = useHosted()
  const link = use(resources.reset())
  const [end, setEnd] = useState<Organizations | 'invalid'>()
  if (link === 'invalid' || end === 'invalid') return <InvalidLink replacesForm={end === 'invalid'} />
  return end === undefined ? <ResetForm link={link} onEnd={setEnd} /> : <Done organizations={end} />
}

import { useState } from 'react'
import { verificationContract } from '../../../src/authentication/verification/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Notice } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { checkEmailChange } from './checks.ts'
import { useAccount } from './context.ts'
import { VerifiedBadge, VerifyAddress } from './overview.tsx'
import { Panel, Section } from './section.tsx'

const fields = ['newEmail'] as const

/** The URL that both mailed links for a change of the email address lead to. It is this page, which then shows how far the change is. */
const afterLink = '/account/email?changed=1'

const strong = (text: string) => <strong className="break">{text}</strong>

const ChangeForm = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { user, refresh } = useAccount()
  const [asked, setAsked] = useState<{ readonly newEmail: string; readonly from: string; readonly isAtOnce: boolean }>()
  const form = useForm({
    api,
    fields,
    check: (values) => checkEmailChange(values, user.email, i18n),
    submit: async (values) => {
      const newEmail = values.newEmail.trim()
      await api.of(verificationContract).changeEmail({ body: { newEmail, callbackURL: afterLink } })
      setAsked({ newEmail, from: user.email, isAtOnce: !user.emailVerified })
      form.ref.current?.reset()
      await refresh()
      return 'done'
    },
  })
  const done =
    asked === undefined ? undefined : asked.isAtOnce ? (
      <Text id="email.changed" values={{ email: strong(asked.newEmail) }} />
    ) : (
      <Text id="email.asked" values={{ email: strong(asked.from), newEmail: strong(asked.newEmail) }} />
    )
  return (
    <Panel id="change" title={t('email.change')}>
      <p className="quiet panel-lead">
        {user.emailVerified ? <Text id="email.twoSteps" values={{ email: strong(user.email) }} /> : t('email.oneStep')}
      </p>
      <Form state={form} working={t('common.saving')} done={done}>
        <Field name="newEmail" type="email" label={t('field.newEmail')} autoComplete="email" error={form.errors.newEmail} />
        <SubmitButton of={form}>{t('email.change')}</SubmitButton>
      </Form>
    </Panel>
  )
}

export const EmailSection = ({ query }: { readonly query: URLSearchParams }) => {
  const { t } = useI18n()
  const { user, settings } = useAccount()
  return (
    <Section title={t('account.email')} lead={t('email.lead')}>
      {query.has('changed') ? (
        <Notice tone="good">
          <Text id={user.emailVerified ? 'email.done' : 'email.changed'} values={{ email: strong(user.email) }} />
        </Notice>
      ) : null}
      <Panel id="current" title={t('email.current')}>
        <div className="current-email">
          <span className="break">{user.email}</span>
          <VerifiedBadge isVerified={user.emailVerified} />
          {user.emailVerified ? null : <VerifyAddress email={user.email} />}
        </div>
      </Panel>
      {settings.changeEmailEnabled === false ? null : <ChangeForm />}
    </Section>
  )
}

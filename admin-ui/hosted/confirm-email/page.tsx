import { use, useState } from 'react'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { PasswordField } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, LinkButton } from '../../shared/ui.tsx'
import { UserNameOf } from '../../shared/user-name-of.tsx'
import { useHosted, useTitle } from '../context.tsx'
import type { VerificationLink } from '../links.ts'
import { MessageCard } from '../message-card.tsx'
import { NewPasswordForm } from '../new-password.tsx'
import { goTo } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'

interface LinkProps {
  readonly link: VerificationLink
}
interface SwitchProps {
  /** Switches to the other way of confirming the email address. */
  readonly onOther: () => void
}

/** Returns a function that sends the confirmation and then goes to the URL that the link names. */
const useConfirm = ({ token }: VerificationLink) => {
  const { api, query } = useHosted()
  const callbackURL = query.get('callbackURL') || undefined
  return async (proof: { readonly password?: string; readonly newPassword?: string }) => {
    const { url } = await api.of(newPasswordContract).confirmEmail({ body: { token, callbackURL, ...proof } })
    goTo(url ?? '/verified')
  }
}

const noFields = [] as const

/**
 * Shown in a browser in which somebody has signed in to the account before. The link alone is not enough, because programs that read mail
 * open links; but they press no buttons.
 */
const ByButton = ({ link }: LinkProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const confirm = useConfirm(link)
  useTitle(t('confirmEmail.title'))
  const form = useForm({
    api,
    fields: noFields,
    check: () => ({}),
    submit: async () => {
      await confirm({})
      return 'leaving'
    },
  })
  return (
    <MessageCard icon="mail" title={t('confirmEmail.title')} text={t('confirmEmail.text')}>
      <Form state={form} working={t('common.saving')}>
        <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
          {t('confirmEmail.submit')}
        </Button>
      </Form>
    </MessageCard>
  )
}

const fields = ['password'] as const

/** Shown in any other browser. It asks for the password, because the person who made the account knows it. */
const ByPassword = ({ link, onOther }: LinkProps & SwitchProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const confirm = useConfirm(link)
  useTitle(t('confirmEmail.title'))
  const form = useForm({
    api,
    fields,
    check: ({ password }) => (password === '' ? { password: t('problem.passwordMissing') } : {}),
    submit: async (values) => {
      await confirm(values)
      return 'leaving'
    },
  })
  const other = link.isClaimable ? (
    <Button kind="quiet" onClick={onOther}>
      {t('confirmEmail.notMine')}
    </Button>
  ) : undefined
  return (
    <Card>
      <Heading title={t('confirmEmail.title')}>
        <Text id="confirmEmail.withPassword" values={{ email: <strong className="break">{link.email}</strong> }} />
      </Heading>
      <Form state={form} working={t('common.saving')} foot={other}>
        <UserNameOf email={link.email} />
        <PasswordField
          name="password"
          label={t('field.password')}
          autoComplete="current-password"
          autoFocus
          sending={form.pending}
          error={form.errors.password}
        />
        <SubmitButton of={form}>{t('confirmEmail.submit')}</SubmitButton>
      </Form>
    </Card>
  )
}

/** For the owner of an email address with which somebody else has made an account. The owner sets a new password. */
const ByNewPassword = ({ link, onOther }: LinkProps & SwitchProps) => {
  const { resources } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const confirm = useConfirm(link)
  useTitle(t('confirmEmail.claimTitle'))
  const other =
    link.asks === 'password' ? (
      <Button kind="quiet" onClick={onOther}>
        {t('confirmEmail.usePassword')}
      </Button>
    ) : undefined
  return (
    <Card>
      <Heading title={t('confirmEmail.claimTitle')}>
        <Text id="confirmEmail.claim" values={{ email: <strong className="break">{link.email}</strong> }} />
      </Heading>
      <NewPasswordForm
        settings={settings}
        label={t('confirmEmail.claimSubmit')}
        email={link.email}
        personal={[link.email]}
        submit={(newPassword) => confirm({ newPassword })}
        foot={other}
      />
    </Card>
  )
}

const Note = ({ kind }: { readonly kind: 'link' | 'otherBrowser' }) => {
  const { t } = useI18n()
  useTitle(t(`error.${kind}.title`))
  return (
    <MessageCard icon="key" tone="warn" title={t(`error.${kind}.title`)} text={t(`error.${kind}.text`)}>
      <div className="actions">
        <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
      </div>
    </MessageCard>
  )
}

/** The page of a link that verifies an email address. It is shown if nobody is signed in to the account. */
export const ConfirmEmailPage = () => {
  const { resources } = useHosted()
  const link = use(resources.verification())
  const [claims, setClaims] = useState(false)
  if (link === 'invalid') return <Note kind="link" />
  if (link.asks === 'nothing') return <ByButton link={link} />
  if (claims || link.asks === 'sign-in')
    return link.isClaimable ? <ByNewPassword link={link} onOther={() => setClaims(false)} /> : <Note kind="otherBrowser" />
  return <ByPassword link={link} onOther={() => setClaims(true)} />
}

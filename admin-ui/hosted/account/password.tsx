import { useState } from 'react'
import { signInMethodContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import { newPasswordContract } from '../../../src/authentication/methods/password/new-password/contract.ts'
import { PasswordField } from '../../shared/field.tsx'
import { Form, FormEnd, SubmitButton, useForm } from '../../shared/form.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { passwordRules } from '../../shared/new-password-checks.ts'
import { PasswordHint } from '../../shared/strength.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { UserNameOf } from '../../shared/user-name-of.tsx'
import { useHosted } from '../context.tsx'
import { useMailing } from '../mailing.ts'
import { useProof } from '../proof.ts'
import { ApiKeysPanel } from './api-keys.tsx'
import { checkPasswordChange } from './checks.ts'
import { useAccount } from './context.ts'
import { Panel, Section } from './section.tsx'

const fields = ['currentPassword', 'newPassword'] as const

const ChangeForm = ({ onChanged }: { readonly onChanged: () => void }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { user, settings, refresh } = useAccount()
  const [typed, setTyped] = useState('')
  const [wereOthersEnded, setOthersEnded] = useState(false)
  const form = useForm({
    api,
    fields,
    check: (values) => checkPasswordChange(values, settings, i18n),
    submit: async ({ currentPassword, newPassword }, data) => {
      const revokeOtherSessions = data.get('others') !== null
      await api.of(newPasswordContract).changePassword({ body: { currentPassword, newPassword, revokeOtherSessions } })
      setOthersEnded(revokeOtherSessions)
      setTyped('')
      form.ref.current?.reset()
      await refresh()
      onChanged()
      return 'done'
    },
  })
  return (
    <Form state={form} working={t('common.saving')} done={t(wereOthersEnded ? 'password.doneOthers' : 'password.done')}>
      <UserNameOf email={user.email} />
      <PasswordField
        name="currentPassword"
        label={t('field.currentPassword')}
        autoComplete="current-password"
        sending={form.pending}
        error={form.errors.currentPassword}
        hint={settings.passwordResetEnabled === false ? undefined : <a href="/forgot-password">{t('password.forgot')}</a>}
      />
      <PasswordField
        name="newPassword"
        label={t('field.newPassword')}
        autoComplete="new-password"
        rules={passwordRules(settings)}
        sending={form.pending}
        error={form.errors.newPassword}
        hint={<PasswordHint password={typed} min={settings.passwordMinLength} personal={[user.name, user.email]} />}
        onValue={setTyped}
      />
      <label className="check">
        <input type="checkbox" name="others" defaultChecked />
        <span>{t('password.others')}</span>
      </label>
      <SubmitButton of={form}>{t('password.submit')}</SubmitButton>
    </Form>
  )
}

/**
 * Shown to people who have no password because they sign in with a linked account. They can request a mail with a link to the page that
 * sets a password. The link proves that the email address is theirs.
 */
const NoPassword = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { user, settings } = useAccount()
  const { email } = user
  const { prove } = useProof('reset')
  const mailing = useMailing(
    () =>
      prove((headers) =>
        api.of(newPasswordContract, headers).requestPasswordReset({ body: { email, redirectTo: '/reset-password' } }),
      ),
    false,
  )
  if (!settings.passwordResetEnabled)
    return (
      <>
        <h2>{t('password.none')}</h2>
        <p className="quiet">{t('problem.resetOff')}</p>
      </>
    )
  return (
    <div className="form">
      <h2>{t('password.none')}</h2>
      <p className="quiet panel-lead">
        <Text id="password.noneText" values={{ email: <strong className="break">{email}</strong> }} />
      </p>
      <Button kind="secondary" icon="mail" working={mailing.pending} blocked={mailing.waitSeconds > 0} onClick={mailing.send}>
        {mailing.waitSeconds > 0 ? t('checkEmail.resendIn', { count: mailing.waitSeconds }) : t('password.send')}
      </Button>
      <FormEnd
        problem={mailing.problem}
        done={mailing.sent ? t('password.sent', { email }) : undefined}
        pending={mailing.pending}
      />
    </div>
  )
}

export const PasswordSection = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const ways = useLoader(() => api.of(signInMethodContract).listAccounts())
  const [isChanged, setChanged] = useState(false)
  return (
    <Section title={t('account.password')} lead={t('password.lead')}>
      <Panel>
        <Loaded of={ways} rows={3}>
          {(accounts) =>
            accounts.some(({ provider }) => provider === 'credential') ? (
              <ChangeForm onChanged={() => setChanged(true)} />
            ) : (
              <NoPassword />
            )
          }
        </Loaded>
      </Panel>
      {isChanged ? <ApiKeysPanel /> : null}
    </Section>
  )
}

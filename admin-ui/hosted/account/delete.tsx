import { useState } from 'react'
import { deletionContract } from '../../../src/identity/deletion/contract.ts'
import { signInMethodContract } from '../../../src/identity/identities/contract.ts'
import { checkDeletion } from '../../shared/checks.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'
import { Loaded, useLoader } from './loading.tsx'
import { Panel, Section } from './section.tsx'

const fields = ['confirmation', 'password'] as const
const deletedPath = '/account/deleted'

const DeleteForm = ({ hasPassword }: { readonly hasPassword: boolean }) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { user, settings } = useAccount()
  const [isMailed, setMailed] = useState(false)
  const form = useForm({
    api,
    fields,
    check: (values) => checkDeletion(values, { email: user.email, hasPassword }, i18n),
    submit: async ({ password }) => {
      const { message } = await api.of(deletionContract).deleteUser({
        body: { callbackURL: deletedPath, ...(hasPassword ? { password } : {}) },
      })
      if (message === 'Verification email sent') {
        setMailed(true)
        form.ref.current?.reset()
        return 'done'
      }
      location.replace(deletedPath)
      return 'leaving'
    },
  })
  return (
    <Form
      state={form}
      working={t('delete.working')}
      done={isMailed ? <Text id="delete.sent" values={{ email: <strong className="break">{user.email}</strong> }} /> : undefined}
    >
      <Field
        name="confirmation"
        label={<Text id="delete.confirm" values={{ email: <strong className="break">{user.email}</strong> }} />}
        autoComplete="off"
        error={form.errors.confirmation}
      />
      {hasPassword ? (
        <PasswordField
          name="password"
          label={t('field.password')}
          autoComplete="current-password"
          sending={form.pending}
          error={form.errors.password}
        />
      ) : null}
      {settings.deleteUserVerification === true ? <p className="quiet panel-lead">{t('delete.mailFirst')}</p> : null}
      <Button type="submit" kind="danger" working={form.pending} blocked={form.waitSeconds > 0}>
        {form.waitSeconds > 0 ? t('problem.tooManyWait', { count: form.waitSeconds }) : t('delete.submit')}
      </Button>
    </Form>
  )
}

const losses = ['delete.profile', 'delete.devices', 'delete.applications'] as const

export const DeleteSection = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const ways = useLoader(() => api.of(signInMethodContract).listAccounts())
  return (
    <Section title={t('account.delete')} lead={t('delete.lead')}>
      <Panel>
        <ul className="consequences">
          {losses.map((key) => (
            <li key={key}>
              <Icon name="alert" size={18} />
              {t(key)}
            </li>
          ))}
        </ul>
        <Loaded of={ways} rows={2}>
          {(accounts) => <DeleteForm hasPassword={accounts.some(({ provider }) => provider === 'credential')} />}
        </Loaded>
      </Panel>
    </Section>
  )
}

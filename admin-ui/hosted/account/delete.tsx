import { useState } from 'react'
import { signInMethodContract } from '../../../src/authentication/methods/federated/linked-accounts/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { deletionContract } from '../../../src/identity/deletion/contract.ts'
import { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Loaded, useLoader } from '../../shared/loading.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'
import { UserNameOf } from '../../shared/user-name-of.tsx'
import { useHosted } from '../context.tsx'
import { organizationPath } from '../organizations/routes.ts'
import { checkDeletion } from './checks.ts'
import { useAccount } from './context.ts'
import { AccountLink } from './navigation.tsx'
import { Panel, Section } from './section.tsx'

const fields = ['confirmation', 'password'] as const
const deletedPath = '/account/deleted'

type OwnedOrganization = Answer<WireApi<typeof hostedOrganizationContract>['listOnlyOwned']>['organizations'][number]

interface FormProps {
  readonly hasPassword: boolean
  /** Called when the server refuses the deletion, for example because the person has meanwhile become the only owner of an organization. */
  readonly onRefused: () => Promise<void>
}

const DeleteForm = ({ hasPassword, onRefused }: FormProps) => {
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
      const body = { callbackURL: deletedPath, ...(hasPassword ? { password } : {}) }
      const { message } = await api
        .of(deletionContract)
        .deleteUser({ body })
        .catch(async (error: unknown) => {
          await onRefused()
          throw error
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
      {hasPassword ? <UserNameOf email={user.email} /> : null}
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
      <SubmitButton kind="danger" of={form}>
        {t('delete.submit')}
      </SubmitButton>
    </Form>
  )
}

const OnlyOwned = ({ organizations }: { readonly organizations: readonly OwnedOrganization[] }) => {
  const { t } = useI18n()
  return (
    <Panel id="only-owned" title={t('delete.onlyOwner')}>
      <p className="quiet panel-lead">{t('delete.onlyOwnerText')}</p>
      <ul className="rows">
        {organizations.map(({ id, slug, name }) => (
          <li key={id} className="row">
            <AppTile name={name} />
            <span className="row-text">
              <span className="row-title">{name}</span>
            </span>
            <span className="row-actions">
              <AccountLink
                path={organizationPath(slug, 'members')}
                className="button button-secondary"
                name={t('delete.handOverName', { organization: name })}
              >
                {t('delete.handOver')}
              </AccountLink>
              <AccountLink
                path={organizationPath(slug, 'settings')}
                className="button button-secondary"
                name={t('delete.organizationName', { organization: name })}
              >
                {t('delete.organization')}
              </AccountLink>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const losses = ['delete.profile', 'delete.devices', 'delete.applications'] as const

export const DeleteSection = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { settings } = useAccount()
  const state = useLoader(async () => {
    const [accounts, { organizations }] = await Promise.all([
      api.of(signInMethodContract).listAccounts(),
      settings.organizationsEnabled
        ? api.of(hostedOrganizationContract).listOnlyOwned()
        : { organizations: [] as readonly OwnedOrganization[] },
    ])
    return { accounts, organizations }
  })
  const owned = state.value?.organizations ?? []
  return (
    <Section title={t('account.delete')} lead={t('delete.lead')}>
      {owned.length === 0 ? null : <OnlyOwned organizations={owned} />}
      <Panel>
        <ul className="consequences">
          {losses.map((key) => (
            <li key={key}>
              <Icon name="alert" size={18} />
              {t(key)}
            </li>
          ))}
        </ul>
        <Loaded of={state} rows={2}>
          {({ accounts, organizations }) =>
            organizations.length > 0 ? null : (
              <DeleteForm hasPassword={accounts.some(({ provider }) => provider === 'credential')} onRefused={state.reload} />
            )
          }
        </Loaded>
      </Panel>
    </Section>
  )
}

import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { isServedHere } from '../../shared/served.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useAccount } from '../account/context.ts'
import { EmptyState } from '../account/empty-state.tsx'
import { OutcomeNotice, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { RedirectContext, useOrganization } from './context.ts'
import { checkOrganization, slugCodes } from './fields.tsx'
import { LogoPanel } from './logo.tsx'
import type { TabProps } from './organization.tsx'
import { listPath, organizationPath } from './routes.ts'
import { SecondFactorPanel } from './second-factor.tsx'
import { TabHeading } from './tabs.tsx'

const fields = ['name', 'slug', 'logo'] as const

const DataForm = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { organization, reload } = useOrganization()
  const redirectTo = use(RedirectContext)
  // An uploaded logo is edited in a panel of its own, so this form only shows the URL of a logo that is stored elsewhere.
  const address = isServedHere(organization.logo) ? null : organization.logo
  const form = useForm({
    api,
    fields,
    check: (values) => checkOrganization(values, i18n),
    atField: slugCodes,
    submit: async ({ name, slug, logo }) => {
      const { slug: next } = await api.of(organizationContract).updateOrganization({
        body: {
          data: {
            name: name.trim(),
            slug: slug.trim(),
            ...(logo.trim() === (address ?? '') ? {} : { logo: logo.trim() || null }),
          },
          organizationId: organization.id,
        },
      })
      if (next === organization.slug) {
        await reload()
        return 'done'
      }
      redirectTo(organizationPath(next, 'settings'), t('common.saved'), 'replace')
      return 'leaving'
    },
  })
  return (
    <Panel>
      <Form state={form} working={t('common.saving')} done={t('common.saved')}>
        <Field name="name" label={t('field.name')} autoComplete="off" defaultValue={organization.name} error={form.errors.name} />
        <Field
          name="slug"
          label={t('org.slug')}
          autoComplete="off"
          defaultValue={organization.slug}
          error={form.errors.slug}
          hint={t('org.slugChange')}
        />
        <Field
          name="logo"
          type="url"
          label={t('org.logoAddress')}
          autoComplete="off"
          defaultValue={address ?? ''}
          isOptional
          error={form.errors.logo}
          hint={t('org.logoRule')}
        />
        <SubmitButton of={form}>{t('common.save')}</SubmitButton>
      </Form>
    </Panel>
  )
}

const losses = ['org.deletesMembers', 'org.deletesApplications', 'org.deletesForever'] as const
const confirmation = ['confirmation'] as const

const DeleteForm = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { refresh } = useAccount()
  const { organization } = useOrganization()
  const redirectTo = use(RedirectContext)
  const [isOpen, setOpen] = useState(false)
  const form = useForm({
    api,
    fields: confirmation,
    check: (values) => (values.confirmation.trim() === organization.slug ? {} : { confirmation: t('org.deleteWrong') }),
    submit: async () => {
      await api.of(organizationContract).deleteOrganization({ body: { organizationId: organization.id } })
      await refresh()
      redirectTo(listPath, t('org.deleted', { organization: organization.name }), 'replace')
      return 'leaving'
    },
  })
  return (
    <Panel id="delete" title={t('org.delete')}>
      <ul className="consequences">
        {losses.map((key) => (
          <li key={key}>
            <Icon name="alert" size={18} />
            {t(key)}
          </li>
        ))}
      </ul>
      {isOpen ? (
        <Form state={form} working={t('org.deleting')}>
          <Field
            name="confirmation"
            label={<Text id="org.deleteConfirm" values={{ slug: <strong className="break">{organization.slug}</strong> }} />}
            autoComplete="off"
            autoFocus
            error={form.errors.confirmation}
          />
          <SubmitButton kind="danger" of={form}>
            {t('org.deleteSubmit')}
          </SubmitButton>
        </Form>
      ) : (
        <Button kind="secondary" icon="bin" onClick={() => setOpen(true)}>
          {t('org.delete')}
        </Button>
      )}
    </Panel>
  )
}

/** The tab for name, slug and deletion of an organization. */
export const SettingsTab = ({ notice }: TabProps) => {
  const { t } = useI18n()
  const { can } = useOrganization()
  const outcome = useOutcome()
  const canUpdate = can('organization', 'update')
  const canDelete = can('organization', 'delete')
  return (
    <>
      <TabHeading title={t('org.settings')} lead={canUpdate || canDelete ? t('org.settingsLead') : undefined} />
      <OutcomeNotice of={{ ...outcome, success: notice }} />
      {canUpdate ? <DataForm /> : null}
      {canUpdate ? <LogoPanel /> : null}
      {canUpdate ? <SecondFactorPanel /> : null}
      {canDelete ? <DeleteForm /> : null}
      {canUpdate || canDelete ? null : (
        <Panel>
          <EmptyState icon="lock" title={t('org.settingsNotAllowed')} text={t('org.settingsNotAllowedText')} />
        </Panel>
      )}
    </>
  )
}

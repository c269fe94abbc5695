import { use, useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { Field } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { slugOf } from '../../shared/parsing.ts'
import { useI18n } from '../../shared/text.tsx'
import { useAccount } from '../account/context.ts'
import { Panel, Section } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { RedirectContext } from './context.ts'
import { checkOrganization, slugCodes } from './fields.tsx'
import { organizationPath } from './routes.ts'
import { BackToList } from './tabs.tsx'

const fields = ['name', 'slug', 'logo'] as const

/** The page that makes an organization. The slug is derived from the name until the person edits the slug. */
export const NewPage = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { refresh } = useAccount()
  const redirectTo = use(RedirectContext)
  const [isSlugOwn, setSlugOwn] = useState(false)
  const form = useForm({
    api,
    fields,
    check: (values) => checkOrganization(values, i18n),
    atField: slugCodes,
    submit: async ({ name, slug, logo }) => {
      const body = { name: name.trim(), slug: slug.trim(), logo: logo.trim() || null }
      const made = await api.of(organizationContract).createOrganization({ body })
      await refresh()
      redirectTo(organizationPath(made.slug), t('org.created', { organization: made.name }))
      return 'leaving'
    },
  })
  const follow = (name: string) => {
    const slug = form.ref.current?.elements.namedItem('slug')
    if (!isSlugOwn && slug instanceof HTMLInputElement) slug.value = slugOf(name)
  }
  return (
    <Section title={t('orgs.new')} lead={t('org.newLead')} back={<BackToList />}>
      <Panel>
        <Form state={form} working={t('common.saving')}>
          <Field
            name="name"
            label={t('field.name')}
            autoComplete="organization"
            autoFocus
            error={form.errors.name}
            onValue={follow}
          />
          <Field
            name="slug"
            label={t('org.slug')}
            autoComplete="off"
            error={form.errors.slug}
            hint={t('org.slugRule')}
            onValue={() => setSlugOwn(true)}
          />
          <Field
            name="logo"
            type="url"
            label={t('org.logo')}
            autoComplete="off"
            isOptional
            error={form.errors.logo}
            hint={t('org.logoRule')}
          />
          <SubmitButton of={form}>{t('org.create')}</SubmitButton>
        </Form>
      </Panel>
    </Section>
  )
}

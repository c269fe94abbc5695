import { languageCodes, localeOf, pickLocale } from '../../../src/core/locale.ts'
import { profileContract } from '../../../src/identity/users/profile/contract.ts'
import { rememberLanguage } from '../../shared/chosen-language.ts'
import { Field, SelectField } from '../../shared/field.tsx'
import { Form, SubmitButton, useForm } from '../../shared/form.tsx'
import { chooseLocale, languageNames } from '../../shared/language.ts'
import { isServedHere } from '../../shared/served.ts'
import { useI18n, useSwitchLanguage } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { changedFields, checkExtraFields, type ExtraField, ExtraFields, userNameErrors, userNameField } from '../extra-fields.tsx'
import { checkProfile } from './checks.ts'
import { useAccount } from './context.ts'
import { DataPanel } from './data.tsx'
import { AccountLink, sectionRoutes } from './navigation.tsx'
import { PicturePanel } from './picture.tsx'
import { Panel, Section } from './section.tsx'

export const ProfileSection = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { user, settings, refresh } = useAccount()
  // Some configured fields are never returned to users, so their values cannot be shown here.
  const shown = settings.userFields.filter(({ returned }) => returned)
  const fields = [...userNameField(settings, i18n, user['username']), ...shown]
  // Reads the value of a configured field. The response contains these fields next to the built-in fields of a user.
  const current = ({ name }: ExtraField) => (user[name] ?? null) as ExtraField['default']
  const switchTo = useSwitchLanguage()
  const isUploaded = isServedHere(user.image)
  const form = useForm<string>({
    api,
    fields: ['name', 'image', 'language', ...fields.map(({ name }) => name)],
    check: ({ name = '', image = '', ...values }) => ({
      ...checkProfile({ name, image }, i18n),
      ...checkExtraFields(fields, values, i18n),
    }),
    submit: async ({ name = '', image = '', language = '', ...values }) => {
      const locale = pickLocale([language])
      await api.of(profileContract).updateUser({
        body: {
          ...changedFields(fields, values, current),
          name: name.trim(),
          // The form has no text field for an uploaded picture, so it does not send `image` and the picture is kept.
          ...(isUploaded ? {} : { image: image.trim() || null }),
          language: locale === undefined ? null : languageCodes[locale],
        },
      })
      rememberLanguage(locale)
      await switchTo(locale ?? chooseLocale({ chosen: undefined, uiLocales: null, browser: navigator.languages }))
      await refresh()
      return 'done'
    },
    atField: userNameErrors,
  })
  return (
    <Section title={t('account.profile')} lead={t('profile.lead')}>
      <PicturePanel />
      <Panel>
        <Form state={form} working={t('common.saving')} done={t('common.saved')}>
          <Field name="name" label={t('field.name')} autoComplete="name" defaultValue={user.name} error={form.errors['name']} />
          {isUploaded ? null : (
            <Field
              name="image"
              type="url"
              label={t('field.picture')}
              autoComplete="photo"
              defaultValue={user.image ?? ''}
              isOptional
              error={form.errors['image']}
              hint={t('field.pictureRule')}
            />
          )}
          <SelectField
            name="language"
            label={t('field.language')}
            defaultValue={localeOf(user.language) ?? ''}
            options={[
              { value: '', text: t('field.languageBrowser') },
              ...languageNames.map(([value, text]) => ({ value, text, lang: value })),
            ]}
            hint={t('field.languageRule')}
          />
          <ExtraFields fields={fields} current={current} errors={form.errors} />
          <SubmitButton of={form}>{t('common.save')}</SubmitButton>
        </Form>
      </Panel>
      <DataPanel />
      {settings.deleteUserEnabled ? (
        <Panel id="delete" title={t('account.delete')}>
          <p className="quiet panel-lead">{t('delete.lead')}</p>
          <AccountLink path={sectionRoutes.delete.path} className="button button-secondary">
            {t('account.delete')}
          </AccountLink>
        </Panel>
      ) : null}
    </Section>
  )
}

import { Field, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card } from '../shell.tsx'
import { EarlyHeading } from '../sign-in/early-form.tsx'

/** The form for sign-up, as the server writes it (see `EarlyForm` of the sign-in page). */
export const EarlySignUpForm = ({ client, wrong }: { readonly client: boolean; readonly wrong: readonly string[] }) => {
  const { t } = useI18n()
  const next = wrong[0] ?? 'name'
  const fieldOf = (name: string) => ({
    name,
    autoFocus: next === name,
    error: wrong.includes(name) ? `{{error:${name}}}` : undefined,
  })
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t('signUp.title')} lead={t('signUp.lead')} />
        <form className="form" noValidate method="post">
          <Field {...fieldOf('name')} label={t('field.name')} autoComplete="name" defaultValue="{{value:name}}" />
          <Field
            {...fieldOf('email')}
            type="email"
            label={t('field.email')}
            autoComplete="username"
            defaultValue="{{value:email}}"
          />
          <PasswordField
            {...fieldOf('password')}
            label={t('field.password')}
            autoComplete="new-password"
            sending={false}
            hint={'{{rule}}'}
          />
          {'{{username}}'}
          <Button type="submit">{t('signUp.submit')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'

/** The server's version of the form; see that of the sign-in page. */
export const EarlyForgotForm = ({ wrong }: { readonly wrong: readonly string[] }) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <Heading title={t('forgot.title')}>{t('forgot.lead')}</Heading>
        <form className="form" noValidate method="post">
          <Field
            name="email"
            type="email"
            label={t('field.email')}
            autoComplete="username"
            defaultValue="{{value:email}}"
            autoFocus
            error={wrong.includes('email') ? '{{error:email}}' : undefined}
          />
          <Button type="submit">{t('forgot.submit')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

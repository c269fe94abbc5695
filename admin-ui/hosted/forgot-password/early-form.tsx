import { Field } from '../../shared/field.tsx'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'

/** The form as the server writes it: see that of the sign-in page. */
export const EarlyForgotForm = ({ wrong }: { readonly wrong: 'email' | 'form' | undefined }) => {
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
            error={wrong === 'email' ? '{{error:email}}' : undefined}
          />
          <Button type="submit">{t('forgot.submit')}</Button>
          {wrong === 'form' ? <FormEnd problem={{ text: '{{error:form}}' }} pending={false} /> : <div className="form-end" />}
        </form>
      </Card>
    </div>
  )
}

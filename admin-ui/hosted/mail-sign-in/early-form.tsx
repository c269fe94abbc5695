import { CodeField } from '../../shared/code-field.tsx'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

interface EarlyFormProps {
  readonly client: boolean
  readonly wrong: readonly string[]
}

/** The form that asks for a mail as the server writes it: see that of the sign-in page. */
export const EarlyMailForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <Heading title={t('signIn.byMail')}>{t('byMail.lead')}</Heading>
        {client ? <Bar kind="client" /> : null}
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
          <Button type="submit">{t('byMail.submit')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

/** The form for the mailed code as the server writes it. */
export const EarlyCodeForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <Heading title={t('checkEmail.title')}>{t('byMail.sent', { email: '{{value:email}}' })}</Heading>
        {client ? <Bar kind="client" /> : null}
        <form className="form" noValidate method="post">
          <input type="hidden" name="email" defaultValue="{{value:email}}" />
          <CodeField
            name="code"
            label={t('code.label')}
            error={wrong.includes('code') ? '{{error:code}}' : undefined}
            hint={t('checkEmail.hint')}
          />
          <Button type="submit">{t('signIn.submit')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

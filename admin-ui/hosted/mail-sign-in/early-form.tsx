import { CodeField } from '../../shared/code-field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'
import { EarlyMailForm } from '../sign-in/early-form.tsx'
import { Bar } from '../skeleton.tsx'

interface EarlyFormProps {
  readonly client: boolean
  readonly wrong: readonly string[]
}

/** The form that requests a mail for the sign-in, as the server writes it into the page. */
export const EarlyMailSignInForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  return (
    <EarlyMailForm client={client} wrong={wrong} title={t('signIn.byMail')} lead={t('byMail.lead')} submit={t('byMail.submit')} />
  )
}

/** The form for the mailed code, as the server writes it into the page. */
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

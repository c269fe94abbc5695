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

/** The form for an email address that the server writes into its HTML. It requests a mail with a link and a code for signing in. */
export const EarlyMailSignInForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  return (
    <EarlyMailForm client={client} wrong={wrong} title={t('signIn.byMail')} lead={t('byMail.lead')} submit={t('byMail.submit')} />
  )
}

/** The form for the code from the mail that the server writes into its HTML. */
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

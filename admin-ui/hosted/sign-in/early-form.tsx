import { Field, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

/**
 * The form as the server writes it, for who types before the script runs. It cannot be sent: without a button that sends, neither a press nor the
 * Enter key does. What is typed goes into the form of the page (`takeTyped`).
 */
export const EarlyForm = ({ client }: { readonly client: boolean }) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <div className="heading">
          <h1>{t('signIn.title')}</h1>
          {client ? <Bar kind="lead" /> : <p className="lead">{t('signIn.lead')}</p>}
        </div>
        {client ? <Bar kind="client" /> : null}
        <form className="form" noValidate method="post">
          <Field name="email" type="email" label={t('field.email')} autoComplete="username" autoFocus />
          <PasswordField name="password" label={t('field.password')} autoComplete="current-password" sending={false} />
          <div className="form-row">
            <label className="check">
              <input type="checkbox" name="rememberMe" defaultChecked />
              <span>{t('signIn.rememberMe')}</span>
            </label>
            {client ? (
              <span className="form-row-link">{t('signIn.forgot')}</span>
            ) : (
              <a className="form-row-link" href="/forgot-password">
                {t('signIn.forgot')}
              </a>
            )}
          </div>
          <Button blocked>{t('signIn.submit')}</Button>
          <div className="form-end" />
        </form>
      </Card>
    </div>
  )
}

import { Field, PasswordField } from '../../shared/field.tsx'
import { FormEnd } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

export type WrongPart = 'email' | 'password' | 'form'

interface EarlyFormProps {
  readonly client: boolean
  /** The element into which the server writes the problem of a form. */
  readonly wrong: readonly WrongPart[]
}

/**
 * The form as the server writes it, for who sends it before the script runs, or without one. It posts to the address of the page, whose
 * parameters say where to go on. What is typed goes into the form of the page (`watchTyped`).
 */
export const EarlyForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  const errorOf = (name: WrongPart) => (wrong.includes(name) ? `{{error:${name}}}` : undefined)
  const problem = errorOf('form')
  return (
    <div className="early">
      <Card>
        <div className="heading">
          <h1>{t('signIn.title')}</h1>
          {client ? <Bar kind="lead" /> : <p className="lead">{t('signIn.lead')}</p>}
        </div>
        {client ? <Bar kind="client" /> : null}
        <form className="form" noValidate method="post">
          <Field
            name="email"
            type="email"
            label={t('field.email')}
            autoComplete="username"
            defaultValue="{{value:email}}"
            autoFocus={errorOf('password') === undefined || errorOf('email') !== undefined}
            error={errorOf('email')}
          />
          <PasswordField
            name="password"
            label={t('field.password')}
            autoComplete="current-password"
            autoFocus={errorOf('password') !== undefined && errorOf('email') === undefined}
            sending={false}
            error={errorOf('password')}
          />
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
          <Button type="submit">{t('signIn.submit')}</Button>
          {problem === undefined ? <div className="form-end" /> : <FormEnd problem={{ text: problem }} pending={false} />}
        </form>
      </Card>
    </div>
  )
}

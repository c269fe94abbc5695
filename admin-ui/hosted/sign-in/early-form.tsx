import { Field, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

interface EarlyFormProps {
  readonly client: boolean
  /** Fields with an element into which the server writes their error. */
  readonly wrong: readonly string[]
}

/** Heading of a page with a form in the server's version. In an application's sign-in, only the script knows its name. */
export const EarlyHeading = ({
  client,
  title,
  lead,
}: {
  readonly client: boolean
  readonly title: string
  readonly lead: string
}) => (
  <>
    <div className="heading">
      <h1>{title}</h1>
      {client ? <Bar kind="lead" /> : <p className="lead">{lead}</p>}
    </div>
    {client ? <Bar kind="client" /> : null}
  </>
)

/**
 * The server's version of the form, for people who send it before the script runs, or without one. It posts to the page's address, whose
 * parameters contain the target. Typed text is copied to the page's form (`watchTyped`).
 */
export const EarlyForm = ({ client, wrong }: EarlyFormProps) => {
  const { t } = useI18n()
  const errorOf = (name: string) => (wrong.includes(name) ? `{{error:${name}}}` : undefined)
  const isPasswordNext = wrong[0] === 'password'
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t('signIn.title')} lead={t('signIn.lead')} />
        <form className="form" noValidate method="post">
          <Field
            name="email"
            type="email"
            label={t('field.email')}
            autoComplete="username"
            defaultValue="{{value:email}}"
            autoFocus={!isPasswordNext}
            error={errorOf('email')}
          />
          <PasswordField
            name="password"
            label={t('field.password')}
            autoComplete="current-password"
            autoFocus={isPasswordNext}
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
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

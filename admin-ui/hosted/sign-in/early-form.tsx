import { Field, type FieldProps, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

interface EarlyFormProps {
  readonly client: boolean
  /** Names of the fields that have an error. Each of them gets an element for the server's message. */
  readonly wrong: readonly string[]
  /** True for the second step of a sign-in in two steps: the email address is known, and the password is asked for. */
  readonly isAddressKnown?: boolean
}

/**
 * The heading of a form that the server writes. For an application's sign-in it contains placeholders, because only the script knows the
 * name of the application.
 */
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
 * The field for an email address or user name. The server inserts the label and type of the field, because only the server knows whether
 * users have user names.
 */
const IdentifierField = (props: Pick<FieldProps, 'autoFocus' | 'error'>) => (
  <Field
    name="email"
    type={'{{identifierType}}' as 'email'}
    label="{{identifier}}"
    autoComplete="username"
    defaultValue="{{value:email}}"
    {...props}
  />
)

/**
 * The first step of a sign-in in two steps: a form with the email address only. Sending it requests the same page with the address as a
 * parameter. The browser checks the field, so the server has nothing to check.
 */
export const EarlyAddressForm = ({ client }: { readonly client: boolean }) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t('signIn.title')} lead={t('signIn.lead')} />
        <form className="form" method="get">
          {'{{kept}}'}
          <IdentifierField autoFocus />
          {/* A password field for password managers, as in the form that the script draws. It has no name, so the password is not
              sent in the URL. */}
          <input
            className="visually-hidden"
            type="password"
            data-name="password"
            autoComplete="current-password"
            tabIndex={-1}
            aria-hidden="true"
          />
          <Button type="submit">{t('common.continue')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

interface EarlyMailFormProps extends Omit<EarlyFormProps, 'isAddressKnown'> {
  readonly title: string
  readonly lead: string
  readonly submit: string
}

/** A form written by the server that asks for the email address to which a mail is sent. */
export const EarlyMailForm = ({ client, wrong, title, lead, submit }: EarlyMailFormProps) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <Heading title={title}>{lead}</Heading>
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
          <Button type="submit">{submit}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

/** The sign-in page of an installation without passwords. The other sign-in methods take the place of the form. */
export const WithoutForm = ({ client, page }: { readonly client: boolean; readonly page: 'signIn' | 'signUp' }) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t(`${page}.title`)} lead={t(`${page}.lead`)} />
        {'{{end}}'}
        {'{{after}}'}
      </Card>
    </div>
  )
}

/**
 * The form for address and password that the server writes. People use it before the script runs, or without scripts. It posts to the
 * page's own URL, whose parameters contain the return URL. Text typed into it is copied to the form that the script draws (`watchTyped`).
 */
export const EarlyForm = ({ client, wrong, isAddressKnown = false }: EarlyFormProps) => {
  const { t } = useI18n()
  const errorOf = (name: string) => (wrong.includes(name) ? `{{error:${name}}}` : undefined)
  const isPasswordNext = isAddressKnown || wrong[0] === 'password'
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t('signIn.title')} lead={t('signIn.lead')} />
        <form className="form" noValidate method="post">
          <IdentifierField autoFocus={!isPasswordNext} error={errorOf('email')} />
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
            {'{{forgot}}'}
          </div>
          <Button type="submit">{t('signIn.submit')}</Button>
          {'{{end}}'}
        </form>
        {'{{after}}'}
      </Card>
    </div>
  )
}

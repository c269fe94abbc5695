import { Field, type FieldProps, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { Card, Heading } from '../shell.tsx'
import { Bar } from '../skeleton.tsx'

interface EarlyFormProps {
  readonly client: boolean
  /** Fields with an element into which the server writes their error. */
  readonly wrong: readonly string[]
  /** The address was asked for first: the password is next. */
  readonly isAddressKnown?: boolean
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

/** The address, or where users have names one of the two: the server knows which. */
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

/** The form that asks for the address alone. Nothing is asked of the server but the same page with the address: browsers check the field. */
export const EarlyAddressForm = ({ client }: { readonly client: boolean }) => {
  const { t } = useI18n()
  return (
    <div className="early">
      <Card>
        <EarlyHeading client={client} title={t('signIn.title')} lead={t('signIn.lead')} />
        <form className="form" method="get">
          {'{{kept}}'}
          <IdentifierField autoFocus />
          {/* As in the page's form, for password managers. It has no name: a password must not become part of an address. */}
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

/** The server's version of a form that asks for an address to mail to. */
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

/** The page where nobody has a password: the sign-in methods stand in the place of the form. */
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
 * The server's version of the form, for people who send it before the script runs, or without one. It posts to the page's address, whose
 * parameters contain the target. Typed text is copied to the page's form (`watchTyped`).
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

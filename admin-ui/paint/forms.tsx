import type { ReactNode } from 'react'
import { pageFormContract } from '../../src/authentication/page-forms/contract.ts'
import { ApiError } from '../../src/http/client.ts'
import type { FormWords, PageForm, PageParts } from '../../src/http/painted.ts'
import { userNameErrors } from '../hosted/extra-fields.tsx'
import { EarlyForgotForm } from '../hosted/forgot-password/early-form.tsx'
import { EarlyCodeForm, EarlyMailSignInForm } from '../hosted/mail-sign-in/early-form.tsx'
import { EarlyAddressForm, EarlyForm, WithoutForm } from '../hosted/sign-in/early-form.tsx'
import { EarlySignUpForm } from '../hosted/sign-up/early-form.tsx'
import { errorMessages } from '../shared/error-messages.ts'
import { Field } from '../shared/field.tsx'
import { FormEnd } from '../shared/form.tsx'
import type { I18n } from '../shared/i18n.ts'
import { Icon } from '../shared/icons.tsx'
import { languageNames } from '../shared/language.ts'
import { Button, LinkButton, Notice } from '../shared/ui.tsx'

type Draw = (content: ReactNode) => string

interface FormDrawing {
  readonly fields: readonly string[]
  readonly form: (wrong: readonly string[], client: boolean) => ReactNode
  /** Further states of the form, other than combinations of wrong fields. */
  readonly more?: Readonly<Record<string, (client: boolean) => ReactNode>>
}

/** The fields of each form, and the form itself. */
const forms: Readonly<Record<string, FormDrawing>> = {
  'sign-in': {
    fields: ['email', 'password'],
    form: (wrong, client) => <EarlyForm client={client} wrong={wrong} />,
    more: {
      first: (client) => <EarlyAddressForm client={client} />,
      known: (client) => <EarlyForm client={client} wrong={[]} isAddressKnown />,
      bare: (client) => <WithoutForm client={client} page="signIn" />,
    },
  },
  'sign-up': {
    fields: ['name', 'email', 'password'],
    form: (wrong, client) => <EarlySignUpForm client={client} wrong={wrong} />,
    more: { bare: (client) => <WithoutForm client={client} page="signUp" /> },
  },
  'forgot-password': { fields: ['email'], form: (wrong) => <EarlyForgotForm wrong={wrong} /> },
  'mail-sign-in': {
    fields: ['email'],
    form: (wrong, client) => <EarlyMailSignInForm client={client} wrong={wrong} />,
    more: {
      sent: (client) => <EarlyCodeForm client={client} wrong={[]} />,
      code: (client) => <EarlyCodeForm client={client} wrong={['code']} />,
    },
  },
}

/** Every combination of the names, in their order. */
const choicesOf = ([name, ...rest]: readonly string[]): readonly (readonly string[])[] =>
  name === undefined ? [[]] : choicesOf(rest).flatMap((choice) => [choice, [name, ...choice]])

/** Lets the browser check a form that requests a page. Neither script nor server checks its fields. */
const checked = (form: string) =>
  form.replace(/<form class="form" method="get">.*?<\/form>/s, (get) =>
    get.replaceAll('aria-required', 'required="" aria-required'),
  )

/** The form of a page in each of its states. Empty for a page whose form needs script. */
export const drawForms = (page: string, draw: Draw): { readonly form?: PageForm } => {
  const found = forms[page]
  if (found === undefined) return {}
  const drawn = (client: boolean) => ({
    ...Object.fromEntries(choicesOf(found.fields).map((wrong) => [wrong.join(' '), draw(found.form(wrong, client))])),
    ...Object.fromEntries(Object.entries(found.more ?? {}).map(([state, form]) => [state, checked(draw(form(client)))])),
  })
  return { form: { plain: drawn(false), client: drawn(true) } }
}

/** A link, to which the script adds the target of the sign-in. */
const Way = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => <a href={to}>{children}</a>

const ProviderButton = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <button type="submit" name="provider" value="{{id}}" className="button button-secondary" aria-label={label}>
    <span className="button-label">
      <svg className="provider-mark" width={18} height={18} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        {'{{paths}}'}
      </svg>
      <span className="button-text">{text}</span>
    </span>
  </button>
)

/**
 * The parts of a page beside its form, rendered like the components of the pages. Forms have no address, so they post to the address of
 * the page with its parameters.
 */
export const drawParts = (draw: Draw, t: I18n['t']): PageParts => {
  const end = (foot: boolean, problem: boolean) =>
    draw(
      <FormEnd problem={problem ? { text: '{{error:form}}' } : undefined} pending={false} foot={foot ? '{{foot}}' : undefined} />,
    )
  const userName = (isOptional: boolean, problem: boolean) =>
    draw(
      <Field
        name="username"
        label={t('field.username')}
        maxLength={100}
        autoComplete="off"
        isOptional={isOptional}
        hint={isOptional ? t('field.optional') : undefined}
        defaultValue="{{value:username}}"
        error={problem ? '{{error:username}}' : undefined}
      />,
    )
  return {
    ends: { bare: end(false, false), foot: end(true, false), bareProblem: end(false, true), footProblem: end(true, true) },
    foots: {
      'sign-in': draw(
        <>
          {t('signIn.noAccount')} <Way to="/sign-up">{t('signIn.signUp')}</Way>
        </>,
      ),
      'sign-up': draw(
        <>
          {t('signUp.haveAccount')} <Way to="/sign-in">{t('signUp.signIn')}</Way>
        </>,
      ),
      'forgot-password': draw(<Way to="/sign-in">{t('common.backToSignIn')}</Way>),
      'mail-sign-in': draw(<Way to="/sign-in">{t('byMail.password')}</Way>),
    },
    cardFoot: draw(<p className="card-foot">{'{{foot}}'}</p>),
    divider: draw(
      <p className="divider">
        <span>{t('social.or')}</span>
      </p>,
    ),
    ways: draw(
      <div className="other-ways">
        {'{{divider}}'}
        {'{{methods}}'}
      </div>,
    ),
    passkey: draw(
      <div className="other-way">
        <Button kind="secondary" icon="key">
          {t('signIn.passkey')}
        </Button>
        <noscript>
          <p className="quiet">{'{{t:noScript.passkey}}'}</p>
        </noscript>
      </div>,
    ),
    mail: draw(
      <LinkButton kind="secondary" href="/mail-sign-in">
        {t('signIn.byMail')}
      </LinkButton>,
    ),
    signUpMail: draw(
      <LinkButton kind="secondary" href="/mail-sign-in">
        {t('signUp.byMail')}
      </LinkButton>,
    ),
    noWay: draw(<Notice tone="wait">{t('signIn.noWay')}</Notice>),
    forgot: draw(
      <a className="form-row-link" href="/forgot-password">
        {t('signIn.forgot')}
      </a>,
    ),
    username: {
      optional: userName(true, false),
      required: userName(false, false),
      optionalProblem: userName(true, true),
      requiredProblem: userName(false, true),
    },
    providers: draw(
      <div className="social">
        {'{{divider}}'}
        <form method="post" className="{{manner}}" data-last={t('social.lastUsed')}>
          {'{{buttons}}'}
        </form>
        <FormEnd problem={undefined} pending={false} />
      </div>,
    ),
    provider: {
      few: draw(<ProviderButton text="{{text}}" label="{{text}}" />),
      many: draw(<ProviderButton text="{{name}}" label="{{text}}" />),
    },
    moreProviders: draw(
      <details className="social-more">
        <summary className="button button-quiet">
          <span className="button-label">{t('social.more')}</span>
        </summary>
        <div className="{{manner}}">{'{{buttons}}'}</div>
      </details>,
    ),
    language: draw(
      <span className="language">
        <Icon name="globe" size={16} />
        <select className="language-select" aria-label={t('common.language')}>
          {languageNames.map(([tag, name]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </select>
      </span>,
    ),
  }
}

/** Refusals of a mailed code, with their field. */
const codeErrors = { INVALID_OTP: 'code', OTP_EXPIRED: 'code', TOO_MANY_ATTEMPTS: 'code' }

const formFields = ['name', 'email', 'password', 'username', 'code'] as const

/** Refusals that concern a whole form, including statuses with a text of their own. */
const formCodes: readonly string[] = [
  ...Object.values(pageFormContract).flatMap(({ errors }): readonly string[] => errors),
  ...['INVALID_ORIGIN', 'INVALID_CALLBACKURL'],
]

/** The server's messages about a refused form. Their texts are those of the script. */
export const wordsOfForms = ({ t, ...i18n }: I18n): FormWords => {
  const atField = { ...userNameErrors, INVALID_USERNAME_OR_PASSWORD: 'password', ...codeErrors }
  const said = (status: number, code = '') =>
    errorMessages(new ApiError(status, code, ''), formFields, undefined, { t, ...i18n }, atField)
  const entries = formCodes.map((code) => {
    const { fields, form } = said(400, code.replace(/^\d+ /, ''))
    const [field, text] = Object.entries(fields)[0] ?? ['form', form?.text ?? '']
    return [code.replace(/^\d+ /, ''), { field, text }] as const
  })
  return {
    codes: { ...Object.fromEntries(entries), PROOF_OF_WORK_REQUIRED: { field: 'form', text: '{{t:noScript.proof}}' } },
    missing: {
      name: t('problem.nameMissing'),
      email: t('problem.emailMissing'),
      password: t('problem.passwordMissing'),
      username: t('problem.valueMissing'),
      code: t('code.missing'),
    },
    invalid: { email: t('problem.emailInvalid'), username: i18n.serverMessage('INVALID_USERNAME') ?? '' },
    wait: said(429).form?.text ?? '',
    busy: said(503).form?.text ?? '',
    unknown: said(500).form?.text ?? '',
  }
}

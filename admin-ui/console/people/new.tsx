import type { FormEvent } from 'react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { Field, PasswordField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'
import { Denied } from '../shared/denied.tsx'
import { useProblem } from '../shared/failure.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { RecoveryLink } from './link-shown.tsx'
import { LinkShown } from './link-shown.tsx'
import { userPath } from './paths.ts'
import { RoleField } from './roles.tsx'
import '../styles/organizations.css'

/** How the new user signs in for the first time: with a link sent by mail, with a link that the administrator passes on, or with a password. */
const ways = ['mail', 'link', 'password'] as const
type Way = (typeof ways)[number]

const flagsOf: Readonly<Record<Way, readonly string[]>> = {
  mail: ['--send-link'],
  link: ['--print-link'],
  password: ['--password-stdin'],
}

const Form = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  const problemOf = useProblem()
  const mayGiveRoles = usePermission('users:set-role').isAllowed
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState<readonly string[]>([])
  const [way, setWay] = useState<Way>('mail')
  const [isVerified, setIsVerified] = useState(false)
  const [isChecked, setIsChecked] = useState(false)
  const [isWorking, setIsWorking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [made, setMade] = useState<{ readonly id: string; readonly link: RecoveryLink }>()
  const create = useChange(administrationContract, 'createUser', t('people.created', { name }))
  // A link that the administrator passes on does not prove control of the mailbox. The administrator therefore has to confirm that the
  // email address is the user's.
  const emailVerified = isVerified || way === 'link'
  const role = roles.filter((one) => one !== 'user')
  const bodyOf = (password: string) => ({
    ...{ email: email.trim(), name: name.trim() },
    ...(role.length === 0 ? {} : { role }),
    ...(emailVerified ? { data: { emailVerified } } : {}),
    ...(way === 'password' ? { password } : { firstSignIn: way }),
  })
  const command = [
    ...['create-user', '--email', email.trim(), '--name', name.trim()],
    ...(role.length === 0 ? [] : ['--role', role.join(',')]),
    ...(emailVerified ? ['--verified'] : []),
    ...flagsOf[way],
  ]

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    if (isWorking) return
    setIsChecked(true)
    setProblem(undefined)
    const password = String(new FormData(form).get('password') ?? '')
    const wrong =
      name.trim() === '' ? 'name' : email.trim() === '' ? 'email' : way === 'password' && password === '' ? 'password' : undefined
    if (wrong !== undefined) {
      form.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
      return
    }
    setIsWorking(true)
    try {
      const { user, link } = await create({ body: bodyOf(password) })
      if (link === undefined) void navigate(userPath(user.id), { replace: true })
      else setMade({ id: user.id, link })
    } catch (error) {
      setProblem(problemOf(error))
    }
    setIsWorking(false)
  }
  return (
    <Page title={t('people.new')} lead={t('people.newLead')} back={{ to: '/admin/users', text: t('people.users') }}>
      <form className="panel new-form" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          autoComplete="off"
          maxLength={128}
          name="name"
          label={t('people.name')}
          value={name}
          error={isChecked && name.trim() === '' ? t('people.nameMissing') : undefined}
          onValue={setName}
        />
        <Field
          autoComplete="off"
          maxLength={128}
          name="email"
          label={t('people.email')}
          value={email}
          error={isChecked && email.trim() === '' ? t('people.emailMissing') : undefined}
          onValue={setEmail}
        />
        <fieldset className="choices">
          <legend>{t('people.firstSignIn')}</legend>
          {ways.map((one) => (
            <label key={one} className="check">
              <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
              {t(`people.firstSignIn.${one}`)} <span className="who-detail">{t(`people.firstSignInHint.${one}`)}</span>
            </label>
          ))}
        </fieldset>
        {way === 'password' ? (
          <PasswordField name="password" label={t('people.password')} autoComplete="new-password" sending={isWorking} />
        ) : null}
        <label className="check">
          <input
            type="checkbox"
            checked={emailVerified}
            disabled={way === 'link'}
            onChange={({ currentTarget }) => setIsVerified(currentTarget.checked)}
          />
          {t('people.takeVerified')} <span className="who-detail">{t('people.takeVerifiedHint')}</span>
        </label>
        {mayGiveRoles ? <RoleField chosen={roles} onChoose={setRoles} /> : null}
        <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
        <div className="form-foot">
          <Button type="submit" working={isWorking}>
            {t('people.create')}
          </Button>
          <ShowCall target={administrationContract.createUser} input={{ body: bodyOf('…') }} command={command} />
        </div>
      </form>
      {made === undefined ? null : (
        <LinkShown name={name} link={made.link} onClose={() => void navigate(userPath(made.id), { replace: true })} />
      )}
    </Page>
  )
}

/** The screen that creates a user. The user first signs in with a link sent by mail, a link from the administrator, or a password. */
export const NewUserScreen = () => (usePermission('users:create').isAllowed ? <Form /> : <Denied permission="users:create" />)

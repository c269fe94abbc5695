import type { FormEvent } from 'react'
import { useState } from 'react'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { Field } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Button, Notice } from '../../../shared/ui.tsx'
import { useProblem } from '../../shared/failure.tsx'
import { Page } from '../../shared/page.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import { originsOf, redirectRemarks, wordsOf } from '../addresses.ts'
import { LinesField } from '../fields.tsx'
import { PkceField } from '../parts.tsx'
import type { Framework } from './frameworks.ts'
import { frameworks } from './frameworks.ts'
import type { Registered } from './screen.tsx'

interface FrameworkChoiceProps {
  readonly chosen: Framework
  readonly onChoose: (framework: Framework) => void
}

const FrameworkChoice = ({ chosen, onChoose }: FrameworkChoiceProps) => {
  const { t } = useI18n()
  return (
    <fieldset className="kinds">
      <legend>{t('clients.framework')}</legend>
      {frameworks.map((framework) => (
        <label key={framework.id} className="kind">
          <input
            type="radio"
            name="framework"
            value={framework.id}
            checked={framework === chosen}
            onChange={() => onChoose(framework)}
          />
          <span className="kind-name">{t(`clients.framework.${framework.id}`)}</span>
          <span className="kind-text">{t(`clients.framework.${framework.id}Text`)}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The call that registers the application in the form, and the command with the same effect. */
const registrationOf = ({ type }: Framework, name: string, redirects: readonly string[], chosenPkce: string) => {
  const pkce = type === 'web' && chosenPkce !== 'default' ? chosenPkce : undefined
  const webOrigins = type === 'spa' ? originsOf(redirects) : []
  const flags = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value])
  return {
    body: {
      name: name.trim(),
      type,
      redirectUris: redirects,
      ...(webOrigins.length > 0 ? { webOrigins } : {}),
      ...(pkce && { pkce }),
    },
    command: [
      ...['register-client', '--name', name.trim(), '--type', type],
      ...flags('--redirect-uri', redirects),
      ...flags('--web-origin', webOrigins),
      ...flags('--pkce', pkce === undefined ? [] : [pkce]),
    ],
  }
}

/** The form for framework, name and redirect URIs of a new application. It checks them by the server's rules while the person types. */
export const NewApplicationForm = ({ onRegistered }: { readonly onRegistered: (registered: Registered) => void }) => {
  const { t } = useI18n()
  const problemOf = useProblem()
  const create = useChange(applicationContract, 'createApplication')
  const [framework, setFramework] = useState<Framework>(frameworks[0])
  const [name, setName] = useState('')
  const [addresses, setAddresses] = useState('')
  const [pkce, setPkce] = useState('default')
  const [isChecked, setIsChecked] = useState(false)
  const [isWorking, setIsWorking] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isMachine = framework.type === 'machine'
  const redirects = isMachine ? [] : wordsOf(addresses)
  const remarks = redirectRemarks(redirects, framework.type, location.hostname)
  const registration = registrationOf(framework, name, redirects, pkce)
  const isMissing = !isMachine && redirects.length === 0
  const wrong = name.trim() === '' ? 'name' : isMissing || remarks.some(({ isError }) => isError) ? 'redirectUris' : undefined

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isWorking) return
    setIsChecked(true)
    setProblem(undefined)
    if (wrong !== undefined) {
      event.currentTarget.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
      return
    }
    setIsWorking(true)
    try {
      const { client, clientSecret } = await create({ body: registration.body })
      onRegistered({ application: client, secret: clientSecret, framework })
    } catch (error) {
      setProblem(problemOf(error))
      setIsWorking(false)
    }
  }
  return (
    <Page title={t('clients.new')} lead={t('clients.newLead')}>
      <form className="panel new-form" noValidate onSubmit={(event) => void submit(event)}>
        <FrameworkChoice chosen={framework} onChoose={setFramework} />
        <Field
          autoComplete="off"
          maxLength={128}
          name="name"
          label={t('clients.name')}
          value={name}
          hint={t('clients.nameHint')}
          error={isChecked && name.trim() === '' ? t('clients.nameMissing') : undefined}
          onValue={setName}
        />
        {isMachine ? null : (
          <LinesField
            name="redirectUris"
            label={t('clients.redirectUris')}
            hint={t('clients.redirectHint')}
            value={addresses}
            placeholder={framework.callback}
            remarks={remarks}
            isChecked={isChecked}
            error={isChecked && isMissing ? t('clients.redirectMissing') : undefined}
            onValue={setAddresses}
          />
        )}
        {framework.type === 'web' ? <PkceField value={pkce} onValue={setPkce} /> : null}
        <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
        <div className="form-foot">
          <Button type="submit" working={isWorking}>
            {t('clients.create')}
          </Button>
          <ShowCall
            target={applicationContract.createApplication}
            input={{ body: registration.body }}
            command={registration.command}
          />
        </div>
      </form>
    </Page>
  )
}

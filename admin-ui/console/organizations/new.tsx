import type { FormEvent } from 'react'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '../../../src/http/client.ts'
import { organizationAdministrationContract } from '../../../src/organizations/administration/contract.ts'
import { Field } from '../../shared/field.tsx'
import { isSlug, slugOf } from '../../shared/parsing.ts'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'
import { Denied } from '../shared/denied.tsx'
import { useProblem } from '../shared/failure.tsx'
import { Page } from '../shared/page.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { organizationPath } from './paths.ts'
import { useUnverified } from './unverified.tsx'
import type { ChosenUser } from './user-choice.tsx'
import { UserChoice } from './user-choice.tsx'

const Form = () => {
  const { t } = useI18n()
  const navigate = useNavigate()
  const problemOf = useProblem()
  const [name, setName] = useState('')
  const [ownSlug, setOwnSlug] = useState<string>()
  const [owner, setOwner] = useState<ChosenUser>()
  const [isChecked, setIsChecked] = useState(false)
  const [isWorking, setIsWorking] = useState(false)
  const [taken, setTaken] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const create = useChange(organizationAdministrationContract, 'adminCreateOrganization', t('organizations.created', { name }))
  const unverified = useUnverified()
  const choose = (chosen: ChosenUser | undefined) => {
    setOwner(chosen)
    unverified.forget()
  }
  // The slug is derived from the name until the person edits the slug.
  const slug = (ownSlug ?? slugOf(name)).trim()
  const body = { name: name.trim(), slug, ...(owner === undefined ? {} : { ownerId: owner.id, ...unverified.body }) }
  const wrong = name.trim() === '' ? 'name' : isSlug(slug) ? undefined : 'slug'
  const slugProblem =
    slug === taken ? t('organizations.slugTaken') : isChecked && !isSlug(slug) ? t('organizations.slugInvalid') : undefined

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    if (isWorking) return
    setIsChecked(true)
    setProblem(undefined)
    if (wrong !== undefined) {
      form.querySelector<HTMLElement>(`[name="${wrong}"]`)?.focus()
      return
    }
    setIsWorking(true)
    try {
      const { id } = await unverified.asked(create({ body }))
      void navigate(organizationPath(id), { replace: true })
    } catch (error) {
      setIsWorking(false)
      if (error instanceof ApiError && error.code === 'ORGANIZATION_ALREADY_EXISTS') {
        setTaken(slug)
        form.querySelector<HTMLElement>('[name="slug"]')?.focus()
      } else setProblem(problemOf(error))
    }
  }
  return (
    <Page
      title={t('organizations.new')}
      lead={t('organizations.newLead')}
      back={{ to: '/admin/organizations', text: t('organizations.title') }}
    >
      <form className="panel new-form" noValidate onSubmit={(event) => void submit(event)}>
        <Field
          autoComplete="off"
          maxLength={128}
          name="name"
          label={t('organizations.name')}
          value={name}
          hint={t('organizations.nameHint')}
          error={isChecked && name.trim() === '' ? t('organizations.nameMissing') : undefined}
          onValue={setName}
        />
        <Field
          autoComplete="off"
          maxLength={128}
          name="slug"
          label={t('organizations.slug')}
          value={ownSlug ?? slug}
          hint={t('organizations.slugHint')}
          error={slugProblem}
          onValue={setOwnSlug}
        />
        <UserChoice label={t('organizations.owner')} hint={t('organizations.ownerHint')} chosen={owner} onChoose={choose} />
        {unverified.field}
        <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
        <div className="form-foot">
          <Button type="submit" working={isWorking}>
            {t('organizations.create')}
          </Button>
          <ShowCall
            target={organizationAdministrationContract.adminCreateOrganization}
            input={{ body }}
            command={[
              'create-org',
              '--name',
              body.name,
              '--slug',
              slug,
              ...(owner === undefined ? [] : ['--owner', owner.email, ...unverified.flags]),
            ]}
          />
        </div>
      </form>
    </Page>
  )
}

/** The screen that makes an organization, with or without an owner. */
export const NewOrganizationScreen = () =>
  usePermission('all-organizations:create').isAllowed ? <Form /> : <Denied permission="all-organizations:create" />

import { useEffect } from 'react'
import { useI18n } from '../shared/text.tsx'
import { Card } from './shell.tsx'

export type SkeletonKind = 'form1' | 'form2' | 'form3' | 'consent' | 'account' | 'note'

export const Bar = ({ kind }: { readonly kind: string }) => <span className={`placeholder placeholder-${kind}`} />

const FieldBones = () => (
  <div className="field">
    <Bar kind="label" />
    <Bar kind="input" />
    <div className="field-message" />
  </div>
)

const FormBones = ({ fields, extra }: { readonly fields: readonly string[]; readonly extra: boolean }) => (
  <div className="form">
    {fields.map((name) => (
      <FieldBones key={name} />
    ))}
    {extra ? <Bar kind="check" /> : null}
    <Bar kind="input" />
    <div className="form-end" />
  </div>
)

/** The names of the fields for which each form's skeleton leaves space. */
const formFields: Readonly<Partial<Record<SkeletonKind, readonly string[]>>> = {
  form1: ['email'],
  form2: ['email', 'password'],
  form3: ['name', 'email', 'password'],
}

const AccountBones = () => {
  const { t } = useI18n()
  return (
    <div className="skeleton account" aria-busy="true">
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div className="account-nav">
        <Bar kind="nav" />
      </div>
      <div className="account-content">
        <div className="heading">
          <Bar kind="title" />
          <Bar kind="lead" />
        </div>
        <Bar kind="account" />
      </div>
    </div>
  )
}

/** Grey shapes shown while a page loads. They have the size of the page's parts, and no text. */
export const Skeleton = ({ kind, client }: { readonly kind: SkeletonKind; readonly client: boolean }) => {
  const { t } = useI18n()
  const fields = formFields[kind]
  if (kind === 'account') return <AccountBones />
  return (
    <div className="skeleton" aria-busy="true">
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <Card>
        <div className="heading">
          <Bar kind="title" />
          <Bar kind="lead" />
        </div>
        {client ? <Bar kind="client" /> : null}
        {fields === undefined ? <Bar kind={kind} /> : <FormBones fields={fields} extra={kind === 'form2'} />}
      </Card>
    </div>
  )
}

/** Goes to another page without an entry in the browser's history. Until then it shows the skeleton of the other page. */
export const Redirect = ({ to, kind }: { readonly to: string; readonly kind: SkeletonKind }) => {
  useEffect(() => location.replace(to), [to])
  return <Skeleton kind={kind} client={false} />
}

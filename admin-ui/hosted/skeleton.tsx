import { useI18n } from '../shared/text.tsx'
import { Card } from './shell.tsx'

export type SkeletonKind = 'form2' | 'form3' | 'consent' | 'account' | 'note'

const Bar = ({ kind }: { readonly kind: string }) => <span className={`bone bone-${kind}`} />

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
    <div className="form-status" />
  </div>
)

/** The shape of a page while its parts are on their way: same size, nothing to read. */
export const Skeleton = ({ kind, client }: { readonly kind: SkeletonKind; readonly client: boolean }) => {
  const { t } = useI18n()
  const body =
    kind === 'form2' ? (
      <FormBones fields={['email', 'password']} extra />
    ) : kind === 'form3' ? (
      <FormBones fields={['name', 'email', 'password']} extra={false} />
    ) : (
      <Bar kind={kind} />
    )
  return (
    <div className="skeleton" aria-busy="true">
      <h1 className="unseen">{t('common.loading')}</h1>
      <Card>
        <div className="heading">
          <Bar kind="title" />
          <Bar kind="lead" />
        </div>
        {client ? <Bar kind="client" /> : null}
        {body}
        {kind === 'form2' || kind === 'form3' ? <p className="card-foot">{'\u00a0'}</p> : null}
      </Card>
    </div>
  )
}

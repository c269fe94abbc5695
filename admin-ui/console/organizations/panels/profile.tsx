import { useState } from 'react'
import { organizationAdministrationContract } from '../../../../src/organizations/administration/contract.ts'
import { Field, FieldFrame } from '../../../shared/field.tsx'
import { isSlug } from '../../../shared/parsing.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { Id } from '../../shared/id.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { Time } from '../../shared/time.tsx'
import { useChange } from '../../shared/use-change.ts'
import type { Organization } from '../parts.tsx'
import { LogoRow } from './logo.tsx'

interface OfOrganization {
  readonly organization: Organization
}

type Metadata = Organization['metadata']

const textOf = (metadata: Metadata) => (metadata === null ? '' : JSON.stringify(metadata, null, 2))

/** Parses typed metadata. Returns undefined if the text is not a JSON object. */
const metadataOf = (text: string): Metadata | undefined => {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined
  } catch {
    return undefined
  }
}

/**
 * A dialog to change name, slug and metadata. If somebody else has changed the organization meanwhile, the dialog shows the other values
 * beside the typed ones.
 */
const EditDialog = ({ organization, onClose }: OfOrganization & { readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [first] = useState(organization)
  const [name, setName] = useState(first.name)
  const [slug, setSlug] = useState(first.slug)
  const [data, setData] = useState(() => textOf(first.metadata))
  const change = useChange(organizationAdministrationContract, 'adminPatchOrganization', t('console.form.saved'))
  const metadata = metadataOf(data)
  const isSlugNew = slug.trim() !== first.slug
  const body = {
    ...(name.trim() === first.name ? {} : { name: name.trim() }),
    ...(isSlugNew ? { slug: slug.trim() } : {}),
    ...(data === textOf(first.metadata) || metadata === undefined ? {} : { metadata }),
  }
  const input = { params: { id: organization.id }, body }
  const now = (before: string, present: string) => (present === before ? '' : t('console.changed.now', { value: present }))
  const blocked =
    name.trim() === ''
      ? t('organizations.nameMissing')
      : !isSlug(slug.trim().toLowerCase())
        ? t('organizations.slugInvalid')
        : metadata === undefined
          ? t('organizations.metadataInvalid')
          : undefined
  return (
    <Confirm
      title={t('organizations.editOf', { name: first.name })}
      consequences={isSlugNew ? [t('organizations.slugFollows', { slug: first.slug })] : []}
      action={t('console.form.save')}
      isDangerous={false}
      reason="optional"
      blocked={blocked}
      foot={<ShowCall target={organizationAdministrationContract.adminPatchOrganization} input={input} />}
      onConfirm={(reason, _, isOverwriting) =>
        change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    >
      <Field
        autoComplete="off"
        maxLength={128}
        name="name"
        label={t('organizations.name')}
        value={name}
        hint={now(first.name, organization.name)}
        onValue={setName}
      />
      <Field
        autoComplete="off"
        maxLength={128}
        name="slug"
        label={t('organizations.slug')}
        value={slug}
        hint={now(first.slug, organization.slug)}
        onValue={setSlug}
      />
      <FieldFrame
        label={t('organizations.metadata')}
        hint={
          textOf(organization.metadata) === textOf(first.metadata)
            ? t('organizations.metadataHint')
            : now(textOf(first.metadata), JSON.stringify(organization.metadata))
        }
      >
        {(control) => (
          <textarea
            {...control}
            className="lines"
            rows={Math.min(10, Math.max(3, data.split('\n').length))}
            value={data}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={({ currentTarget }) => setData(currentTarget.value)}
          />
        )}
      </FieldFrame>
    </Confirm>
  )
}

/** A panel with name, slug and metadata of the organization. */
export const ProfilePanel = ({ organization }: OfOrganization) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  const { id, name, slug, metadata, createdAt } = organization
  return (
    <Panel
      title={t('organizations.profile')}
      actions={
        <ActionButton permission="all-organizations:update" onClick={() => setIsOpen(true)}>
          {t('organizations.edit')}
        </ActionButton>
      }
    >
      <Facts
        rows={[
          [t('organizations.name'), name],
          [t('organizations.slug'), <code key="slug">{slug}</code>],
          [t('organizations.logo'), <LogoRow key="logo" organization={organization} />],
          [
            t('organizations.metadata'),
            metadata === null ? undefined : (
              <code key="metadata" className="break">
                {JSON.stringify(metadata)}
              </code>
            ),
          ],
          [t('organizations.createdAt'), <Time key="created" at={createdAt} exact />],
          [t('organizations.id'), <Id key="id" id={id} />],
        ]}
      />
      {isOpen ? <EditDialog organization={organization} onClose={() => setIsOpen(false)} /> : null}
    </Panel>
  )
}

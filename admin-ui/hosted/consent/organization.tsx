import type { RefObject } from 'react'
import { useRef, useState } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { SelectField } from '../../shared/field.tsx'
import { Icon } from '../../shared/icons.tsx'
import { isServedHere } from '../../shared/served.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile } from '../../shared/ui.tsx'

/** The option's value for "no organization". Ids of organizations are longer, so none can be equal to it. */
const none = 'none'

export interface OrganizationChoice {
  /** A ref for the element that contains the select. Undefined if the person has no choice. */
  readonly ref: RefObject<HTMLDivElement | null>
  readonly value: string
  readonly isMissing: boolean
  readonly isForNone: boolean
  choose(value: string): void
  /**
   * Returns the organization for the consent. If the person has to choose one and has not, it returns undefined, shows an error and moves
   * the focus to the select.
   */
  read(): { readonly organizationId?: string | null } | undefined
}

/** The organization for which the application will act. It may be known already. Otherwise the person chooses it on this page. */
export const useOrganizationChoice = ({
  organization,
  organizations,
  needsOrganizationChoice,
}: Interaction): OrganizationChoice => {
  const ref = useRef<HTMLDivElement>(null)
  const [value, setValue] = useState(needsOrganizationChoice ? '' : (organization?.id ?? none))
  const [isMissing, setIsMissing] = useState(false)
  return {
    ref,
    value,
    isMissing,
    isForNone: value === none,
    choose: (next) => {
      setValue(next)
      setIsMissing(false)
    },
    read: () => {
      if (organizations.length === 0) return {}
      if (value !== '') return { organizationId: value === none ? null : value }
      setIsMissing(true)
      ref.current?.querySelector('select')?.focus()
      return undefined
    },
  }
}

interface ActsForProps {
  readonly interaction: Interaction
  readonly choice: OrganizationChoice
}

/** Shows a choice of organizations, or the organization that the application has requested. Renders nothing if neither applies. */
export const ActsFor = ({ interaction: { organization, organizations, needsOrganizationChoice }, choice }: ActsForProps) => {
  const { t, locale } = useI18n()
  const chosen = organizations.find(({ id }) => id === choice.value)
  if (organizations.length > 0) {
    const sorted = organizations.toSorted((a, b) => a.name.localeCompare(b.name, locale))
    return (
      <div className="consent-choice" ref={choice.ref}>
        {isServedHere(chosen?.logo ?? null) ? <AppTile name={chosen?.name ?? ''} logo={chosen?.logo} size="large" /> : null}
        <SelectField
          name="organization"
          label={t('consent.organization')}
          defaultValue={choice.value}
          isOptional={false}
          error={choice.isMissing ? t('consent.organizationMissing') : undefined}
          hint={choice.isForNone ? t('choose.noneDetail') : undefined}
          options={[
            ...(needsOrganizationChoice ? [{ value: '', text: t('field.choose') }] : []),
            ...sorted.map(({ id, name }) => ({ value: id, text: name })),
            { value: none, text: t('choose.none') },
          ]}
          onValue={choice.choose}
        />
      </div>
    )
  }
  if (organization === null) return null
  return (
    <p className="consent-organization">
      {isServedHere(organization.logo) ? <AppTile name={organization.name} logo={organization.logo} /> : <Icon name="building" />}
      <span className="break">
        <Text id="consent.actsFor" values={{ organization: <strong>{organization.name}</strong> }} />
      </span>
    </p>
  )
}

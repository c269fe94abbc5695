import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { type Outbound, OutboundError } from '../../core/fetch.ts'
import { invalidMetadata } from '../clients/rules.ts'

/** The identifier of a sector, and the redirect URIs that its document lists. */
export interface Sector {
  readonly address: string
  readonly redirectUris: readonly string[]
}

/** Reads the documents at `sector_identifier_uri`, which list the redirect URIs of a sector (OpenID Connect Registration 1.0, section 5). */
export interface Sectors {
  /** Fetches the sector document at a URL; returns undefined without a URL. Call it outside of transactions. Throws INVALID_CLIENT_METADATA. */
  read(address: string | null | undefined, isTrusted: boolean): Promise<Sector | undefined>
  /**
   * Reads sectors inside a transaction, from memory. `read` must have fetched them within the last minute; otherwise it throws
   * INVALID_CLIENT_METADATA.
   */
  readonly asRead: Pick<Sectors, 'read'>
}

const Addresses = z.array(z.string()).max(1_000)
/** Milliseconds for which a fetched document stays in memory, so that the following transaction can read it. */
const keptMs = 60_000
/** The largest number of documents that are in memory. */
const mostKept = 100

interface Deps extends Pick<Core, 'clock'> {
  readonly outbound: Outbound
  /** Used for clients whose registrant is unknown. It never calls private network addresses. */
  readonly publicOutbound: Outbound
}

export const createSectors = ({ clock, outbound, publicOutbound }: Deps): Sectors => {
  const known = new Map<string, { readonly sector: Sector; readonly at: number }>()

  const fetch = async (address: string, isTrusted: boolean): Promise<Sector> => {
    const refused = (why: string) => invalidMetadata(`sector_identifier_uri ${why}`)
    try {
      const { status, text } = await (isTrusted ? outbound : publicOutbound).send(address)
      if (status !== 200) throw refused(`cannot be read: the server answered ${status}`)
      const { success, data } = Addresses.safeParse(JSON.parse(text))
      if (!success) throw refused('is no JSON list of addresses')
      return { address, redirectUris: data }
    } catch (error) {
      // An unknown registrant must not learn details of the network from the error.
      if (error instanceof OutboundError) throw refused(isTrusted ? `cannot be read: ${error.message}` : 'cannot be read')
      if (error instanceof SyntaxError) throw refused('is no JSON list of addresses')
      throw error
    }
  }

  const read: Sectors['read'] = async (address, isTrusted) => {
    if (address == null) return undefined
    const sector = await fetch(address, isTrusted)
    if (known.size >= mostKept) known.clear()
    known.set(address, { sector, at: clock.now().getTime() })
    return sector
  }

  return {
    read,
    asRead: {
      read: async (address) => {
        if (address == null) return undefined
        const found = known.get(address)
        if (found === undefined || clock.now().getTime() - found.at > keptMs)
          throw invalidMetadata('sector_identifier_uri could not be read')
        return found.sector
      },
    },
  }
}

/** Throws INVALID_CLIENT_METADATA if the client has a redirect URI that its sector document does not list. */
export const requireInSector = (
  {
    sectorIdentifierUri,
    redirectUris,
  }: { readonly sectorIdentifierUri: string | null; readonly redirectUris: readonly string[] },
  sector: Sector | undefined,
): void => {
  if (sectorIdentifierUri === null) return
  if (sector?.address !== sectorIdentifierUri) throw invalidMetadata('sector_identifier_uri was changed meanwhile: try again')
  const missing = redirectUris.find((uri) => !sector.redirectUris.includes(uri))
  if (missing !== undefined) throw invalidMetadata(`sector_identifier_uri does not list the redirect address ${missing}`)
}

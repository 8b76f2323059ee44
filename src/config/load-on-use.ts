/** Loads the configuration, for the command: what checks modules is loaded where some are listed. */
import {
  type CandidateRequest,
  checkCandidate,
  findConfig,
  type Loaded,
  writtenModules,
} from './candidate.ts'

/** As `loadConfig`, for which a client need not wait longer than it has to. */
export async function loadConfigOnUse(request: CandidateRequest): Promise<Loaded> {
  const candidate = findConfig(request)
  if (writtenModules(candidate) === undefined) return checkCandidate(candidate, request, undefined)
  const { modulesCheck } = await import('./check-modules.ts')
  return checkCandidate(candidate, request, modulesCheck())
}

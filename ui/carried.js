// A profile that was carried over to another build (`gait carry`) has counts of the whole run alone: of a part of it there
// are samples.
import { timePart } from './route.js';

// The sentence to show instead of what is not known of the part that is shown; null: all is known.
export function countsMissing(info) {
  return timePart() && info.facts.carried
    ? 'This profile was carried over from another build, and counts of a part of the run were not: show the whole run (✕ at the top), or record the new build.' : null;
}

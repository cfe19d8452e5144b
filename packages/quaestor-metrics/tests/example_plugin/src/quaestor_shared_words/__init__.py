from quaestor_metrics import MetricResult, MetricSpec, ScoredUnit


class SharedWords:
    spec = MetricSpec(id="shared_words", name="Shared words", version="1", unit=ScoredUnit.PAIR)

    def available(self):
        return True, ""

    def score(self, batch, params):
        pairs = [(set(one.hypothesis.split()), set(one.references[0].split())) for one in batch]
        return [MetricResult(len(mine & theirs) / len(mine | theirs)) for mine, theirs in pairs]
